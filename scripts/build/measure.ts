/**
 * `npm run build -- --measure`: how large build/ is, how long it takes from its start to its ready line on a database that
 * exists, and how much memory it then has. Exit code 1 above a limit. `--runs=5` starts, of which the median counts.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startEmbedded } from '#server/db/embedded.ts'

const limits = { treeMb: 120, startMs: 2000, memoryMb: 200 }
const MB = 1_000_000
const RUNS = 5

/** Prints one line per figure. Returns whether all are within their limits. */
export async function measureBuild(build: string): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'finmeter-measure-'))
  const database = await startEmbedded(join(dir, 'database'), randomBytes(12).toString('hex'))
  try {
    const port = String(await freePort())
    const env = {
      NODE_ENV: 'production',
      PORT: port,
      PUBLIC_URL: 'https://api.finmeter.dev',
      DATABASE_URL: database.connectionString,
      KEYS_SECRET: randomBytes(32).toString('hex'),
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
      FINMETER_DATA_DIR: join(dir, 'data'),
    }
    // The first start makes the tables.
    await start(build, env)
    const runs = []
    for (let run = 0; run < RUNS; run += 1) runs.push(await start(build, env))
    const figures = [
      ['tree without Node', (await sizeOf(build)) / MB, limits.treeMb, 'MB'],
      ['start to ready', median(runs.map(({ startMs }) => startMs)), limits.startMs, 'ms'],
      ['resident memory', median(runs.map(({ memoryBytes }) => memoryBytes)) / MB, limits.memoryMb, 'MB'],
    ] as const
    for (const [name, figure, most, unit] of figures)
      console.log(`${figure <= most ? 'ok    ' : 'FAILED'} ${name}: ${Math.round(figure)} ${unit} (at most ${most})`)
    return figures.every(([, figure, most]) => figure <= most)
  } finally {
    await database.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!

/** One start until its ready line and a first answer of /readyz. */
async function start(build: string, env: Record<string, string>): Promise<{ startMs: number; memoryBytes: number }> {
  const started = performance.now()
  const child = spawn(process.execPath, [join(build, 'main.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((done) => child.once('close', done))
  await new Promise<void>((done, failed) => {
    child.stdout.on('data', (part) => String(part).includes('Finmeter ready') && done())
    child.once('close', (code) => failed(new Error(`${build} ended with code ${code}`)))
  })
  const startMs = performance.now() - started
  await fetch(`http://127.0.0.1:${env.PORT}/readyz`)
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  child.kill('SIGTERM')
  await ended
  return { startMs, memoryBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024 }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async (entry) => (await lstat(join(entry.parentPath, entry.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
