export const tables = ['bars', 'quote', 'series'] as const
/** What a sheet asks for: prices by day, latest quotes, or an economic series. */
export type SheetTable = (typeof tables)[number]

export interface SheetRequest {
  table: SheetTable
  /** A symbol, several separated by commas (quotes only), or the id of a series. */
  symbol: string
  /** Not used for quotes. */
  range: string
}

/** The ranges that a table takes, shortest first. */
export const rangesOf = {
  bars: ['1mo', '3mo', '6mo', 'ytd', '1y', '5y', 'max'],
  quote: [],
  series: ['1mo', '3mo', '6mo', '1y', '5y', '10y', '20y', 'max'],
} as const satisfies Record<SheetTable, readonly string[]>

/** The columns of each table with their types in Power Query. */
const columnsOf: Record<SheetTable, Record<string, 'date' | 'number' | 'text'>> = {
  bars: { date: 'date', open: 'number', high: 'number', low: 'number', close: 'number', volume: 'number' },
  quote: {
    symbol: 'text',
    date: 'date',
    close: 'number',
    change: 'number',
    change_percent: 'number',
    currency: 'text',
  },
  series: { date: 'date', value: 'number' },
}

/** More rows than any daily history has, fewer than the most that one request may ask for. */
const MOST_ROWS = { bars: 10_000, series: 5_000 } as const

/** The address of the rows as CSV, without a key. */
export function sheetAddress(publicUrl: string, { table, symbol, range }: SheetRequest): string {
  const name = encodeURIComponent(symbol.trim())
  if (table === 'quote')
    return `${publicUrl}/v1/quotes?symbols=${name}&columns=${Object.keys(columnsOf.quote).join(',')}&format=csv`
  return `${publicUrl}/v1/${table}/${name}?range=${range}&limit=${MOST_ROWS[table]}&format=csv`
}

/** The same address with a key. Only for keys that can do nothing but read: an address ends up in copies of the sheet. */
export const withKey = (address: string, key: string): string => `${address}&apikey=${key}`

/** For a cell of Google Sheets: fills the cells to the right and below. */
export const googleFormula = (address: string, key: string): string => `=IMPORTDATA("${withKey(address, key)}")`

/**
 * For a cell of Excel for Windows or LibreOffice: the latest price of one symbol. CLEAN removes the line ends, and
 * NUMBERVALUE reads the decimal point also where the computer writes a comma.
 */
export function figureFormula(publicUrl: string, symbol: string, key: string): string {
  const address = `${publicUrl}/v1/quotes?symbols=${encodeURIComponent(symbol.trim())}&columns=close&format=csv`
  return `=NUMBERVALUE(MID(CLEAN(WEBSERVICE("${withKey(address, key)}")),6,40),".")`
}

/** For the advanced editor of Excel's Power Query. The key is in a header, so that it is not part of the address. */
export function powerQuery(address: string, table: SheetTable, key: string): string {
  const types = Object.entries(columnsOf[table]).map(([name, type]) => `{"${name}", type ${type}}`)
  return [
    'let',
    `    Source = Web.Contents("${address}", [Headers = [#"X-API-Key" = "${key}"]]),`,
    '    Rows = Table.PromoteHeaders(Csv.Document(Source, [Delimiter = ",", Encoding = 65001])),',
    `    Typed = Table.TransformColumnTypes(Rows, {${types.join(', ')}}, "en-US")`,
    'in',
    '    Typed',
  ].join('\n')
}

/** The same for a response in JSON: the only list in it as rows, or else its fields. */
export const powerQueryOfJson = (address: string, key: string): string =>
  [
    'let',
    `    Answer = Json.Document(Web.Contents("${address}", [Headers = [#"X-API-Key" = "${key}"]])),`,
    '    Lists = if Answer is list then {Answer} else List.Select(Record.FieldValues(Answer), each _ is list),',
    '    Names = List.Union(List.Transform(Lists{0}, Record.FieldNames)),',
    '    Rows = if List.Count(Lists) = 1 then Table.FromRecords(Lists{0}, Names, MissingField.UseNull) else Record.ToTable(Answer)',
    'in',
    '    Rows',
  ].join('\n')

/** The name of an operation's function in a sheet. */
export const functionName = (operation: string): string => operation.toUpperCase().replaceAll(/\W/g, '_')

/** For Apps Script in Google Sheets: a function that fills the cells with the first list of a response in JSON, or its fields. */
export const appsScript = (name: string, address: string, key: string): string =>
  [
    `function ${name}() {`,
    `  const options = { headers: { 'X-API-Key': '${key}' } }`,
    `  const answer = JSON.parse(UrlFetchApp.fetch(${JSON.stringify(address)}, options).getContentText())`,
    '  const rows = [answer, Object.values(answer).find(Array.isArray), [answer]].find(Array.isArray)',
    '  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]',
    "  const cell = (value) => (value !== null && typeof value === 'object' ? JSON.stringify(value) : (value ?? ''))",
    '  return [names, ...rows.map((row) => names.map((name) => cell(row[name])))]',
    '}',
  ].join('\n')
