import { execFile } from 'node:child_process'
import { join } from 'node:path'

export interface Ended {
  code: number
  out: string
  err: string
}

/** `npm run admin -- <words>` as an operator runs it, on a database; `env` adds variables. */
export const runAdmin = (databaseUrl: string, words: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  run('admin.ts', databaseUrl, words, env)

/** `npm run doctor -- <words>`, likewise. */
export const runDoctor = (databaseUrl: string, words: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  run('doctor.ts', databaseUrl, words, env)

function run(script: string, databaseUrl: string, words: string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const all = {
    PATH,
    HOME,
    NODE_COMPILE_CACHE,
    NODE_ENV: 'test',
    DATABASE_URL: databaseUrl,
    KEYS_SECRET: 'ab'.repeat(32),
    ...env,
  }
  const path = join(import.meta.dirname, '../cli', script)
  return new Promise((done) => {
    execFile(process.execPath, [path, ...words], { env: all }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}
