import { type ChildProcess, execFile } from 'node:child_process'
import { programFile } from './program.ts'

export interface Ended {
  code: number
  out: string
  err: string
}

/** `npm run admin -- <words>` as an operator runs it, on a database; `env` adds variables. */
export const runAdmin = (databaseUrl: string, words: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  run('admin', databaseUrl, words, env)

/** `npm run doctor -- <words>`, likewise. */
export const runDoctor = (databaseUrl: string, words: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  run('doctor', databaseUrl, words, env)

const run = (name: string, databaseUrl: string, words: string[], env: NodeJS.ProcessEnv): Promise<Ended> =>
  runCommand(name, words, { NODE_ENV: 'test', DATABASE_URL: databaseUrl, KEYS_SECRET: 'ab'.repeat(32), ...env })

/** A command of server/cli with these variables and no others of Finmeter. `started` gets its process. */
export function runCommand(
  name: string,
  words: string[],
  env: NodeJS.ProcessEnv,
  started: (child: ChildProcess) => void = () => {},
): Promise<Ended> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [programFile(name), ...words],
      { env: { PATH, HOME, NODE_COMPILE_CACHE, ...env } },
      (error, out, err) => done({ code: error ? Number(error.code) : 0, out, err }),
    )
    started(child)
  })
}
