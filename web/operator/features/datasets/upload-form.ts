/** What the form asks about a CSV of daily prices. */
export interface UploadForm {
  id: string
  name: string
  currency: string
  license: string
  publisher: string
  redistribution: 'open' | 'internal' | 'delayed'
  dates: string
  /** Our field: their column. */
  fields: Record<string, string>
}

export const needed = ['symbol', 'date', 'open', 'high', 'low', 'close'] as const
export const optional = ['volume', 'split', 'dividend'] as const

/** The columns that a CSV names in its first line. */
export function columnsOf(csv: string): string[] {
  const [line = ''] = csv.split(/\r?\n/, 1)
  const delimiter = [',', ';', '\t'].toSorted((a, b) => line.split(b).length - line.split(a).length)[0]!
  return line.split(delimiter).map((name) => name.trim().replaceAll(/^"|"$|^\uFEFF/g, ''))
}

const others: Record<string, string[]> = { symbol: ['ticker', 'code'], date: ['day', 'time'] }

/** The column of each field whose name says so. */
export function guessFields(columns: string[]): Record<string, string> {
  const found = [...needed, ...optional].flatMap((field) => {
    const names = [field, ...(others[field] ?? [])]
    const column = columns.find((one) => names.includes(one.toLowerCase()))
    return column === undefined ? [] : [[field, column] as const]
  })
  return Object.fromEntries(found)
}

/** As `datasets/<id>.yaml`, without its source. */
export const manifestOf = ({ fields, ...form }: UploadForm) => ({
  ...form,
  kind: 'bars',
  fields: Object.fromEntries(Object.entries(fields).filter(([, column]) => column !== '')),
})
