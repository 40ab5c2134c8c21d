import { execFile } from 'node:child_process'
import { join } from 'node:path'

export interface Ended {
  code: number
  out: string
  err: string
}

/** `npm run admin -- <words>` as an operator runs it, on a database; `env` adds variables. */
export function runAdmin(databaseUrl: string, words: string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
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
  const script = join(import.meta.dirname, '../cli/admin.ts')
  return new Promise((done) => {
    execFile(process.execPath, [script, ...words], { env: all }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}
