import { spawn, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../db/embedded.ts'

export interface PgBouncer {
  /** The database, through it. */
  url: string
  stop: () => Promise<void>
}

/** Debian's package `pgbouncer` has it. Tests without it are skipped and counted. */
export const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0

const NOBODY = 65_534

/** Starts PgBouncer with its defaults in front of the database at `databaseUrl`, on a free port unless stated. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: 'session' | 'transaction',
  givenPort?: number,
): Promise<PgBouncer> {
  const database = new URL(databaseUrl)
  const name = database.pathname.slice(1)
  const port = givenPort ?? (await freePort())
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-pgbouncer-'))
  const config = join(dir, 'pgbouncer.ini')
  const password = database.password && `password='${database.password}'`
  await writeFile(
    config,
    `[databases]
${name} = host=${database.hostname} port=${database.port || 5432} user=${database.username} ${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  )
  // It refuses to run as root.
  await chmod(dir, 0o755)
  const child = spawn('pgbouncer', [config], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  await new Promise<void>((done, failed) => {
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('process up')) done()
    })
    child.once('error', failed)
    child.once('exit', () => failed(new Error(`pgbouncer ended: ${output}`)))
  })
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  url.password = ''
  return {
    url: url.toString(),
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(dir, { recursive: true, force: true })
    },
  }
}
