/**
 * 1,000,000 rows into pandas through the Python client, beside `pandas.read_csv` of the same bytes and with Parquet pages, on a
 * server of its own with made-up bars. Everything shares this machine. `SDK_PYTHON` names another interpreter.
 */
import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { makeAccounts } from '../bench/accounts.ts'
import { startFinmeter } from '../bench/finmeter.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const ROWS = 1_000_000
const RUNS = 5
const python = process.env.SDK_PYTHON ?? '/usr/bin/python3'

const dir = await mkdtemp(join(tmpdir(), 'finmeter-measure-'))
const server = await startFinmeter([], undefined, async (env) => {
  await pipeline(Readable.from(bars()), createWriteStream(join(dir, 'bars.csv')))
  await writeFile(
    join(dir, 'made-up.yaml'),
    `id: made-up
name: Made-up minutes
kind: bars
interval: 1m
source: { type: file, path: bars.csv }
fields: { symbol: symbol, date: time, open: open, high: high, low: low, close: close, volume: volume }
currency: USD
license: our own
publisher: Finmeter
redistribution: internal
`,
  )
  await run(process.execPath, ['server/cli/data.ts', 'publish', join(dir, 'made-up.yaml')], {
    cwd: root,
    env: { ...env, LOG_LEVEL: 'error' },
    maxBuffer: 64 * 1024 * 1024,
  })
})
try {
  const { db, secrets } = server.connection
  const [key] = await makeAccounts(db, secrets, 1)
  const { stdout } = await run(python, [join(root, 'sdk/python/tests/measure.py'), String(ROWS), String(RUNS)], {
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: join(root, 'sdk/python'),
      PYTHONDONTWRITEBYTECODE: '1',
      FINMETER_URL: `http://127.0.0.1:${server.port}`,
      FINMETER_API_KEY: key,
    },
  })
  console.log(stdout.trim())
} finally {
  await server.stop()
  await rm(dir, { recursive: true })
}

/** A walk of prices, one bar a minute, around the clock. */
function* bars(): Generator<string> {
  yield 'symbol,time,open,high,low,close,volume\n'
  let close = 100_000
  let state = 1
  for (let minute = 0; minute < ROWS; minute++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    const open = close
    close = Math.max(1_000, open + ((state >> 8) % 201) - 100)
    const time = new Date(Date.UTC(2020, 0, 1) + minute * 60_000).toISOString().replace('.000', '')
    const [high, low] = [Math.max(open, close) + 7, Math.min(open, close) - 7]
    yield `SYN.MINUTES,${time},${open / 100},${high / 100},${low / 100},${close / 100},${state % 10_000}\n`
  }
}
