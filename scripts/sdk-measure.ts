/**
 * 1,000,000 rows into pandas through the Python client, beside `pandas.read_csv` of the same bytes, and the time from installing
 * either library to its first rows, on a server of its own with made-up bars. Everything shares this machine. Parquet answers have
 * at most 10,000 rows, so they are not measured. `SDK_PYTHON` names another interpreter.
 */
import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { makeAccounts } from '../bench/accounts.ts'
import { startFinmeter } from '../bench/finmeter.ts'
import { packLibraries } from './release/pack.ts'

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
  const began = await processorSeconds(server.pid)
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
  // csv() and df() each ask once in each run.
  const each = ((await processorSeconds(server.pid)) - began) / (2 * RUNS)
  console.log(`the server works ${each.toFixed(2)} s for one answer`)
  await firstRows(`http://127.0.0.1:${server.port}`, key!)
} finally {
  await server.stop()
  await rm(dir, { recursive: true })
}

/** Processor time that a process has used, on Linux; elsewhere not a number. */
async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const [user, system] = stat.split(') ')[1]?.split(' ').slice(11, 13).map(Number) ?? []
  return (user! + system!) / 100
}

/** Installs each library as its README says, from the packed files, and runs the first program. What it needs is already there. */
async function firstRows(url: string, key: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const packed = join(dir, 'packed')
  packLibraries(packed, version)
  const site = join(dir, 'site')
  const wheel = join(packed, `finmeter-${version}-py3-none-any.whl`)
  await writeFile(
    join(dir, 'first.py'),
    `from finmeter import Finmeter
finmeter = Finmeter("${key}", "${url}")
print(finmeter.get_bars("AAPL", range="1y").df())
`,
  )
  await writeFile(
    join(dir, 'first.mjs'),
    `import { Finmeter } from 'finmeter'
const finmeter = new Finmeter({ key: '${key}', url: '${url}' })
const { rows } = await finmeter.getBars({ symbol: 'AAPL', range: '1y' })
console.log(rows)
`,
  )
  const env = { ...process.env, PYTHONPATH: site }
  const seconds = async (...commands: [string, ...string[]][]) => {
    const began = performance.now()
    for (const [command, ...words] of commands) await run(command, words, { cwd: dir, env })
    return ((performance.now() - began) / 1000).toFixed(1)
  }
  const pip: [string, ...string[]] = [
    python,
    '-m',
    'pip',
    'install',
    '--no-index',
    '--no-deps',
    '--target',
    site,
    wheel,
  ]
  const npm: [string, ...string[]] = ['npm', 'install', '--offline', join(packed, `finmeter-${version}.tgz`)]
  console.log(`pip install and three lines to a data frame: ${await seconds(pip, [python, 'first.py'])} s`)
  console.log(`npm install and four lines to typed rows: ${await seconds(npm, [process.execPath, 'first.mjs'])} s`)
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
