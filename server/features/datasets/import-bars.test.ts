import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { beforeEach, describe, expect, test } from 'vitest'
import { allBars } from '../market-data/bar-store/testing/all-bars.ts'
import { importDataset, readDataset } from './import-dataset.ts'
import { type DatasetFolder, datasetFolder, plainBars } from './testing/dataset-folder.ts'
import { versionStore } from './version-store.ts'

let folder: DatasetFolder
beforeEach(() => {
  folder = datasetFolder()
})

const header = 'symbol,date,open,high,low,close,volume'
const good = `${header}\nOWN,2024-01-02,10,12,9,11,100\nOWN,2024-01-03,11,13,10,12,200\nOTH,2024-01-02,1,1,1,1,0\n`

const writePrices = (content: string | Uint8Array) => folder.file('prices.csv', content)

/** The findings of a dataset, by code. */
async function findings(changes: Record<string, unknown> = {}) {
  const { report } = await readDataset(await folder.bars(changes), folder.options)
  return Object.fromEntries(
    report.findings.map(({ code, severity, count, examples }) => [code, { severity, count, examples }]),
  )
}

const findingsIn = (path: string) => findings({ source: { type: 'file', path } })

/** The bars that were written, by symbol. */
async function written(changes: Record<string, unknown> = {}) {
  const dataset = await folder.bars(changes)
  const { version, report } = await importDataset(dataset, folder.options)
  if (!version) throw new Error(JSON.stringify(report.findings))
  const { files, manifest } = await versionStore(folder.options.published).read(dataset.id, version)
  const { loadPart } = await import('../market-data/dataset-part.ts')
  const part = await loadPart(files, manifest)
  if (part.kind !== 'bars') throw new Error(part.kind)
  return Object.fromEntries(
    await Promise.all(
      part.symbols.map(async ({ manifest: { symbol }, series }) => {
        const { actions, adjustments } = series
        return [symbol, { ...(await allBars(series)), actions, adjustments }] as const
      }),
    ),
  )
}

describe('what can be read', () => {
  test('CSV, CSV.gz, NDJSON and Parquet give the same bars', async () => {
    await writePrices(good)
    const expected = await written()
    expect([...expected.OWN!.close]).toEqual([11, 12])
    expect([...expected.OWN!.volume]).toEqual([100, 200])
    const rows = good
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(','))
    await folder.file('prices.csv.gz', gzipSync(good))
    const objects = rows.map(([symbol, date, ...prices]) => {
      const [open, high, low, close, volume] = prices.map(Number)
      return { symbol, date, open, high, low, close, volume }
    })
    await folder.file('prices.ndjson', objects.map((row) => JSON.stringify(row)).join('\n'))
    const names = header.split(',')
    await folder.file(
      'prices.parquet',
      new Uint8Array(
        parquetWriteBuffer({
          columnData: names.map((name) => ({
            name,
            data: objects.map((row) => row[name as keyof typeof row]),
            type: name === 'symbol' || name === 'date' ? ('STRING' as const) : ('DOUBLE' as const),
          })),
        }),
      ),
    )
    for (const path of ['prices.csv.gz', 'prices.ndjson', 'prices.parquet'])
      expect(await written({ source: { type: 'file', path } })).toEqual(expected)
  })

  test('a byte order mark, semicolons, decimal commas, German dates, quotes and Windows line ends', async () => {
    await writePrices(
      '\uFEFFsymbol;date;open;high;low;close;volume\r\n"OWN";02.01.2024;1.010,5;1.012;1.009;1.011;"100"\r\n',
    )
    const { OWN } = await written({ dates: 'dmy', decimal: ',' })
    expect([OWN!.open[0], OWN!.high[0]]).toEqual([1010.5, 1012])
  })

  test('files of a pattern together, in any order of rows', async () => {
    await folder.file('p-2.csv', `${header}\nOWN,2024-01-04,12,12,12,12,1\n`)
    await folder.file('p-1.csv', `${header}\nOWN,2024-01-03,11,11,11,11,1\nOWN,2024-01-02,10,10,10,10,1\n`)
    const { OWN } = await written({ source: { type: 'file', path: 'p-*.csv' } })
    expect([...OWN!.close]).toEqual([10, 11, 12])
  })

  test('splits and dividends adjust as everywhere', async () => {
    await writePrices(
      'symbol,date,open,high,low,close,volume,split,dividend\nOWN,2024-01-02,100,100,100,100,10,,\nOWN,2024-01-03,50,50,50,50,20,2,\nOWN,2024-01-04,49,49,49,49,20,,1\n',
    )
    const { OWN } = await written({
      fields: { ...plainBars.fields, split: 'split', dividend: 'dividend' },
    })
    expect(OWN!.actions).toEqual([
      { index: 1, time: Date.parse('2024-01-03') / 86_400_000, split: 2, dividend: 0 },
      { index: 2, time: Date.parse('2024-01-04') / 86_400_000, split: 1, dividend: 1 },
    ])
    expect(OWN!.adjustments.splits!.steps?.[0]).toMatchObject({ price: 0.5, volume: 2 })
  })

  test('minutes without a zone are those of the manifest', async () => {
    await writePrices(`${header}\nOWN,2024-07-01 09:30,1,1,1,1,1\nOWN,2024-07-01T13:31:00Z,1,1,1,1,1\n`)
    const { OWN } = await written({ interval: '1m', timezone: 'America/New_York' })
    expect([...OWN!.times]).toEqual([
      Date.parse('2024-07-01T13:30Z') / 60_000,
      Date.parse('2024-07-01T13:31Z') / 60_000,
    ])
  })
})

describe('errors name file, row and column, and nothing is written', () => {
  test.each([
    ['2024-01-02,10,12,9,x,100', 'bad_number', 'line 2, column close: "x" is no number'],
    [
      '2024-13-02,10,12,9,11,100',
      'bad_date',
      'line 2, column date: "2024-13-02" is no date such as 2025-01-31 (dates: iso)',
    ],
    [
      '2023-02-29,10,12,9,11,100',
      'bad_date',
      'line 2, column date: "2023-02-29" is no date such as 2025-01-31 (dates: iso)',
    ],
    ['2024-01-02,10,9,12,11,100', 'ohlc_order', 'line 2: open 10, high 9, low 12, close 11 are out of order'],
    [
      '2024-01-02,10,12,-9,11,100',
      'not_positive',
      'line 2: prices and splits must be above 0, volume and dividend must not be negative',
    ],
    ['2024-01-02,10,12,9,,100', 'bad_number', 'line 2, column close: "" is no number'],
    ['2024-01-02,10,Infinity,9,11,100', 'bad_number', 'line 2, column high: "Infinity" is no number'],
  ])('%s: %s', async (row, code, example) => {
    await writePrices(`${header}\nOWN,${row}\n`)
    expect((await findings())[code]).toEqual({ severity: 'error', count: 1, examples: [`prices.csv ${example}`] })
    const { version } = await importDataset(await folder.bars(), folder.options)
    expect(version).toBeNull()
    expect(await versionStore(folder.options.published).versions('own-prices')).toEqual([])
  })

  test('malformed rows are reported with all other errors', async () => {
    await writePrices(
      `${header}\nOWN,2024-01-02,1,1,1\nOWN,2024-01-03,1,one,1,1,1\nOWN,2024-01-04,1,1,1,1,1,7\nOWN,2024-01-05,1,1,1,1,1\n`,
    )
    const what = 'the header has 7; a text with a delimiter in it needs quotes'
    expect(await findings()).toEqual({
      bad_row: {
        severity: 'error',
        count: 2,
        examples: [`prices.csv line 2 has 5 cells, ${what}`, `prices.csv line 4 has 8 cells, ${what}`],
      },
      bad_number: { severity: 'error', count: 1, examples: ['prices.csv line 3, column high: "one" is no number'] },
    })
    await folder.file('prices.ndjson', '{"symbol":"OWN",\n7\n{"symbol":"OWN","date":"soon"}\n')
    expect(await findingsIn('prices.ndjson')).toMatchObject({
      bad_row: {
        count: 2,
        examples: ['prices.ndjson line 1 is not a JSON object', 'prices.ndjson line 2 is not a JSON object'],
      },
      bad_date: { count: 1 },
    })
  })

  test('two bars of a day, and an empty file', async () => {
    await writePrices(`${good}OWN,2024-01-03,11,13,10,12,200\n`)
    expect((await findings()).duplicate?.examples).toEqual(['prices.csv line 5: OWN has a second bar for 2024-01-03'])
    await writePrices(`${good}OWN,2024-01-02,11,13,10,12,200\n`)
    expect((await findings()).duplicate?.examples).toEqual(['OWN has two bars for 2024-01-02'])
    await writePrices(`${header}\n`)
    expect((await findings()).no_rows?.severity).toBe('error')
  })

  test('a million errors are one finding with ten examples', async () => {
    await writePrices(`${header}\n${'OWN,nonsense,1,1,1,1,1\n'.repeat(50_000)}`)
    const { bad_date: finding } = await findings()
    expect([finding?.count, finding?.examples.length]).toEqual([50_000, 10])
  })

  test.each([
    [
      'symbol,date,open,high,low,volume\nOWN,2024-01-02,1,1,1,1\n',
      /prices\.csv has no column "close"\. Its columns: symbol, date, open, high, low, volume\./,
    ],
    [`${header}\nOWN,"2024-01-02,1,1,1,1,1\n`, /prices\.csv.*Line 2: a quote is opened and never closed/],
    ['', /prices\.csv is empty/],
    [Uint8Array.of(0x73, 0xff, 0xfe, 0x0a, 0xc3, 0x28), /prices\.csv is not UTF-8 text/],
  ])('%# input that is not a table is refused', async (content, message) => {
    await writePrices(content)
    await expect(findings()).rejects.toThrow(message)
  })

  test('more rows than the limit', async () => {
    await writePrices(`${header}\n${Array.from({ length: 30 }, (_, i) => `S${i},2024-01-02,1,1,1,1,1`).join('\n')}\n`)
    await expect(findings({ limits: { rows: 20 } })).rejects.toThrow(
      'prices.csv line 22: more than 20 rows. Raise limits.rows if this is intended.',
    )
  })

  test('corrupt Parquet, cut gzip, missing files', async () => {
    const whole = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: 'symbol', data: ['A'], type: 'STRING' }] }))
    await folder.file('p.parquet', whole)
    await expect(findingsIn('p.parquet')).rejects.toThrow('p.parquet has no column "date". Its columns: symbol.')
    await folder.file('p.parquet', whole.slice(0, whole.length - 9))
    await expect(findingsIn('p.parquet')).rejects.toThrow(/p\.parquet is not a complete Parquet file/)
    const footer = Uint8Array.from([...'PAR1'.repeat(9), ...'\x10\0\0\0PAR1'], (letter) => letter.charCodeAt(0))
    await folder.file('p.parquet', footer)
    await expect(findingsIn('p.parquet')).rejects.toThrow(
      'p.parquet is not a complete Parquet file: it cannot be decoded. Write or copy it again.',
    )
    await folder.file('p.csv.gz', gzipSync(good.repeat(1000)).subarray(0, 60))
    await expect(findingsIn('p.csv.gz')).rejects.toThrow(/p\.csv\.gz is not a complete gzip file/)
    await expect(findingsIn('none/*.csv')).rejects.toThrow('No file matches none/*.csv')
  })
})

describe('warnings do not block publishing', () => {
  test('minutes outside the sessions, typical of a wrong time zone', async () => {
    // Half past nine in New York, labeled UTC: five hours early in winter, four in summer.
    const minutes = (hours: string[]) =>
      ['2024-01-03', '2024-07-03'].flatMap((day) => hours.map((hour) => `OWN,${day}T${hour}:00,10,12,9,11,100`))
    await writePrices([header, ...minutes(['09:29', '09:30', '12:59', '16:00'])].join('\n'))
    const own = { interval: '1m', calendar: 'XNYS' }
    expect((await findings({ ...own, timezone: 'UTC' })).outside_session).toEqual({
      severity: 'warning',
      count: 2,
      examples: [
        'OWN has 3 bars outside the session of 2024-01-03, which is from 14:30 to 21:00 UTC; the first is at 2024-01-03T09:29:00Z. Is the time zone right?',
        'OWN has 3 bars outside the session of 2024-07-03, which is from 13:30 to 17:00 UTC; the first is at 2024-07-03T09:29:00Z. Is the time zone right?',
      ],
    })
    await writePrices([header, ...minutes(['09:30', '12:59'])].join('\n'))
    expect((await findings({ ...own, timezone: 'America/New_York' })).outside_session).toBeUndefined()
  })

  test('gaps, days without a session and jumps are detected', async () => {
    await writePrices(
      `${header}\nOWN,2012-10-26,10,10,10,10,1\nOWN,2012-10-29,10,10,10,10,1\nOWN,2012-11-01,30,30,30,30,0\n`,
    )
    const found = await findings({ calendar: 'XNYS' })
    expect(found.no_session?.examples[0]).toContain('2012-10-29, when XNYS is closed (Hurricane Sandy)')
    expect(found.gap).toMatchObject({
      severity: 'warning',
      examples: ['OWN has no bar for 2012-10-31, a session of XNYS'],
    })
    expect(found.jump?.examples[0]).toContain('OWN moves by 200 % on 2012-11-01, and no split is given')
    expect(found.no_volume?.examples[0]).toBe('OWN has 1 bars without volume')
    expect((await importDataset(await folder.bars({ calendar: 'XNYS' }), folder.options)).version).not.toBeNull()
  })

  test('a move explained by a split is not reported', async () => {
    await writePrices(
      'symbol,date,open,high,low,close,volume,split\nOWN,2024-01-02,100,100,100,100,1,\nOWN,2024-01-03,25,25,25,25,1,4\n',
    )
    const fields = { ...plainBars.fields, split: 'split' }
    expect((await findings({ fields })).jump).toBeUndefined()
  })
})

describe('an invalid manifest names the field', () => {
  test.each([
    [{ kind: 'prices' }, /kind/],
    [{ calendar: 'XPAR' }, /there is no calendar XPAR. Available: XNYS, XNAS, XLON, XETR, XTKS/],
    [{ fields: { symbol: 'symbol' } }, /fields must map symbol, date, open, high, low, close; date is missing/],
    [
      { fields: { symbol: 's', date: 'd', open: 'o', high: 'h', low: 'l', close: 'c', price: 'p' } },
      /bars have no field price/,
    ],
    [{ redistribution: 'demo-only' }, /redistribution/],
    [{ colour: 'blue' }, /colour/],
  ])('%j', async (changes, message) => {
    await writePrices(good)
    await expect(findings(changes)).rejects.toThrow(message)
  })
})
