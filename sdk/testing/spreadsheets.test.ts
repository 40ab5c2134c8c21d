import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startToolServer, type ToolServer } from '#server/features/tools/testing/tool-server.ts'
import { productTools } from '#server/product-tools.ts'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { figureFormula, googleFormula, sheetAddress } from '../../web/features/spreadsheets/formulas.ts'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '../spreadsheets')

let server: ToolServer
let key: string
beforeAll(async () => {
  server = await startToolServer(productTools)
  const made = await server.key({ credits: 1_000 })
  key = made.value
  await server.db.pool.query(`update api_keys set scopes = '{read}'`)
})
afterAll(() => server?.close())

/** As a spreadsheet asks: a GET without any header of ours. */
async function fetchPlain(address: string): Promise<{ status: number | undefined; body: string }> {
  const [response] = await once(get(address), 'response')
  return { status: response.statusCode, body: await text(response) }
}
/** The address in a formula. */
const addressIn = (formula: string) => /"(http[^"]*)"/.exec(formula)![1]!

test('the address in each formula gives its rows to a program that sends no headers', async () => {
  const first = async (table: 'bars' | 'quote' | 'series', symbol: string, range: string) => {
    const formula = googleFormula(sheetAddress(server.url, { table, symbol, range }), key)
    const { status, body } = await fetchPlain(addressIn(formula))
    return [status, ...body.split('\r\n').slice(0, 2)]
  }
  expect(await first('bars', 'AAPL', '1mo')).toEqual([
    200,
    'date,open,high,low,close,volume',
    '2018-04-12,173.41,175,173.04,174.14,22889300',
  ])
  expect(await first('series', 'OIL.WTI', '1mo')).toEqual([200, 'date,value', '2026-07-20,84.38'])
  expect(await first('quote', 'AAPL,MSFT', '')).toEqual([
    200,
    'symbol,date,close,change,change_percent,currency',
    'AAPL,2018-05-11,188.59,-1.45,-0.763,USD',
  ])
  const figure = await fetchPlain(addressIn(figureFormula(server.url, 'AAPL', key)))
  expect(figure).toEqual({ status: 200, body: 'close\r\n188.59\r\n' })
  const longest = await fetchPlain(
    addressIn(googleFormula(sheetAddress(server.url, { table: 'bars', symbol: 'GE', range: 'max' }), key)),
  )
  expect(longest.body.split('\r\n').length).toBeGreaterThan(5_000)
})

test('a formula with a key that is gone says so to who opens the address', async () => {
  const { status, body } = await fetchPlain(addressIn(googleFormula(`${server.url}/v1/bars/AAPL?format=csv`, 'fm_x')))
  expect([status, JSON.parse(body).code]).toEqual([401, 'key_invalid'])
})

test('the functions for Google Sheets read rows, keep them, and show why the server refused', async () => {
  const worker = new Worker(new URL('./run-apps-script.ts', import.meta.url), {
    workerData: {
      script: join(folder, 'google-sheets/Code.gs'),
      properties: { FINMETER_URL: server.url, FINMETER_API_KEY: key },
      expressions: [
        'FINMETER_BARS("AAPL", "1mo").slice(0, 2)',
        'FINMETER_BARS("AAPL", "1mo").length',
        'FINMETER_QUOTE("AAPL")',
        'FINMETER_QUOTE("AAPL", "currency")',
        'FINMETER_SERIES("OIL.WTI", "1mo")[1]',
        'FINMETER_BARS("NOPE")',
      ],
    },
  })
  const [{ results, fetches }] = await once(worker, 'message')
  expect(results).toEqual([
    [
      ['date', 'open', 'high', 'low', 'close', 'volume'],
      ['2018-04-12', 173.41, 175, 173.04, 174.14, 22_889_300],
    ],
    23,
    188.59,
    'USD',
    ['2026-07-20', 84.38],
    { error: expect.stringContaining('NOPE is not in the catalog.') },
  ])
  expect(fetches).toBe(5)
})

test('the functions for Excel read rows with the saved key, and match their description and manifest', async () => {
  const functions: Record<string, (...inputs: string[]) => Promise<unknown>> = {}
  const storage = new Map<string, string>()
  const context = {
    CustomFunctions: {
      associate: (all: object) => Object.assign(functions, all),
      ErrorCode: { notAvailable: '#N/A' },
      Error: class extends Error {
        constructor(code: string, message: string) {
          super(message)
          Object.assign(this, { code })
        }
      },
    },
    OfficeRuntime: {
      storage: {
        getItem: async (name: string) => storage.get(name) ?? null,
        setItem: async (name: string, value: string) => void storage.set(name, value),
      },
    },
    location: { origin: server.url },
    URLSearchParams,
    fetch,
  }
  runInNewContext(await readFile(join(folder, 'excel/functions.js'), 'utf8'), context)
  const { KEY, BARS, QUOTE, SERIES } = functions as Required<typeof functions>
  await expect(QUOTE!('AAPL')).rejects.toMatchObject({ code: '#N/A', message: expect.stringContaining('FINMETER.KEY') })
  await KEY!(` ${key} `)
  expect(await QUOTE!('AAPL')).toBe(188.59)
  expect(((await BARS!('AAPL', '1mo')) as unknown[][]).slice(0, 2)).toEqual([
    ['date', 'open', 'high', 'low', 'close', 'volume'],
    ['2018-04-12', 173.41, 175, 173.04, 174.14, 22_889_300],
  ])
  expect(((await SERIES!('OIL.WTI', '1mo')) as unknown[][])[1]).toEqual(['2026-07-20', 84.38])
  await expect(BARS!('NOPE')).rejects.toMatchObject({ message: expect.stringContaining('NOPE is not in the catalog.') })

  const described = JSON.parse(await readFile(join(folder, 'excel/functions.json'), 'utf8')) as {
    functions: { id: string; parameters: unknown[] }[]
  }
  expect(described.functions.map(({ id, parameters }) => [id, parameters.length])).toEqual(
    Object.entries(functions).map(([id, implementation]) => [id, implementation.length]),
  )
  const manifest = await readFile(join(folder, 'excel/manifest.xml'), 'utf8')
  const served = [...manifest.matchAll(/"https:\/\/data\.example\.com\/excel\/([^"]+)"/g)].map(([, name]) => name!)
  expect(new Set(served)).toEqual(new Set(['functions.js', 'functions.html', 'functions.json']))
  expect(served.filter((name) => !existsSync(join(folder, 'excel', name)))).toEqual([])
})

/** A sheet of LibreOffice with one formula, not calculated yet. */
const sheetWith = (formula: string) => `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="S"><table:table-row>
<table:table-cell table:formula="of:${formula.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"/>
</table:table-row></table:table></office:spreadsheet></office:body></office:document>`

const office = spawnSync('soffice', ['--version']).status === 0

test.skipIf(!office)('LibreOffice imports the address as dates and numbers', { timeout: 180_000 }, async () => {
  const scratch = temporaryFolder()
  const csv = '--infilter=Text - txt - csv (StarCalc):44,34,76,1,,1033,false,true'
  const convert = (source: string, to: string, ...filter: string[]) => {
    const profile = `-env:UserInstallation=file://${scratch}/profile`
    return run('soffice', ['--headless', profile, ...filter, '--convert-to', to, '--outdir', scratch, source])
  }
  const address = sheetAddress(server.url, { table: 'series', symbol: 'OIL.WTI', range: '1mo' })
  await convert(addressIn(googleFormula(address, key)), 'fods', csv)
  const sheet = await readFile(join(scratch, 'OIL.fods'), 'utf8')
  expect(sheet).toContain('office:value-type="date" office:date-value="2026-07-20"')
  expect(sheet).toContain('office:value-type="float" office:value="84.38"')

  // The formula for one figure, with what the address answers in place of WEBSERVICE, which asks a person first.
  const formula = figureFormula(server.url, 'AAPL', key)
    .replace(/WEBSERVICE\("[^"]*"\)/, '"close"&CHAR(13)&CHAR(10)&"188.59"&CHAR(13)&CHAR(10)')
    .replaceAll(',', ';')
  await writeFile(join(scratch, 'figure.fods'), sheetWith(formula))
  await convert(join(scratch, 'figure.fods'), 'csv')
  expect(await readFile(join(scratch, 'figure.csv'), 'utf8')).toBe('188.59\n')
})
