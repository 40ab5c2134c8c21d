import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, connect } from '../server/cli/connect.ts'
import { freePort } from '../server/db/embedded.ts'

export interface Finmeter {
  port: number
  pid: number
  /** The database of the running server, as an operator's command reaches it. */
  connection: Connection
  /** Stops the server and deletes its data directory. */
  stop: () => Promise<void>
}

/**
 * Runs the product as `npm start` does, with laptop defaults, in a separate data directory: embedded PostgreSQL,
 * sandbox on, limits on. With `tools`, copies of a tool extend its list to that number. `nodeFlags` are for profiling.
 * `prepare` can publish datasets before the start. `tree` is the root of another checkout.
 */
export async function startFinmeter(
  nodeFlags: string[] = [],
  tools?: number,
  prepare?: (env: NodeJS.ProcessEnv) => Promise<void>,
  tree = join(import.meta.dirname, '..'),
): Promise<Finmeter> {
  const dataDir = await mkdtemp(join(tmpdir(), 'finmeter-bench-'))
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, PORT: String(await freePort()), FINMETER_DATA_DIR: dataDir }
  await prepare?.(env)
  const entry = tools === undefined ? 'server/main.ts' : 'bench/many-tools.ts'
  const flags = ['--disable-warning=ExperimentalWarning', ...nodeFlags]
  const child = spawn(process.execPath, [...flags, join(tree, entry)], {
    env: { ...env, ...(tools && { BENCH_TOOLS: String(tools) }) },
    stdio: ['ignore', 'pipe', 2],
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await ready(child)
    const connection = await connect(env)
    return {
      port: Number(env.PORT),
      pid: child.pid!,
      connection,
      stop: async () => {
        await connection.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function ready(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((done, failed) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (/^Finmeter ready at /m.test(output)) done()
    })
    child.once('exit', (code) => failed(new Error(`Finmeter ended with code ${code} before it was ready.`)))
  })
}
