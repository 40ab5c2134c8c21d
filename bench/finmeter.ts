import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connection, connect } from '../server/cli/connect.ts'
import { freePort } from '../server/db/embedded.ts'

export interface Finmeter {
  port: number
  pid: number
  /** From its start to its line that says so. */
  readyMs: number
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
  let server: Server | undefined
  const stop = async () => {
    await server?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await prepare?.(env)
    const entry = join(tree, tools === undefined ? 'server/main.ts' : 'bench/many-tools.ts')
    server = await startServer({ ...env, ...(tools && { BENCH_TOOLS: String(tools) }) }, nodeFlags, entry)
    const connection = await connect(env)
    return {
      port: Number(env.PORT),
      pid: server.pid,
      readyMs: server.readyMs,
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

interface Server {
  pid: number
  /** From its start to its line that says so. */
  readyMs: number
  stop: () => Promise<void>
}

/** Starts the product in the data directory of `env` and resolves when it is ready. */
export async function startServer(
  env: NodeJS.ProcessEnv,
  nodeFlags: string[] = [],
  entry = join(import.meta.dirname, '../server/main.ts'),
): Promise<Server> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...nodeFlags, entry], {
    env,
    stdio: ['ignore', 'pipe', 2],
  })
  const ended = new Promise<void>((done) => child.once('exit', () => done()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    await ready(child)
    return { pid: child.pid!, readyMs: performance.now() - startedAt, stop }
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
