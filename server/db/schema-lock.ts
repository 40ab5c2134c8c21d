import type { Database } from './database.ts'

/** Migrations and restores exclude each other, and both exclude backups, of which any number may run. */
export type SchemaLock = 'migrate' | 'backup'

/**
 * Runs `work` while no other process changes the schema (`backup`), or while none changes or copies it (`migrate`). Waits
 * for them; `waiting` is called once if it has to.
 */
export async function withSchemaLock<T>(
  { pool }: Pick<Database, 'pool'>,
  lock: SchemaLock,
  work: () => Promise<T>,
  waiting: () => void = () => {},
): Promise<T> {
  const suffix = lock === 'backup' ? '_shared' : ''
  const client = await pool.connect()
  try {
    const key = "hashtext('finmeter_schema')"
    const { rows } = await client.query<{ got: boolean }>(`select pg_try_advisory_lock${suffix}(${key}) as got`)
    if (!rows[0]!.got) {
      waiting()
      await client.query(`select pg_advisory_lock${suffix}(${key})`)
    }
    return await work()
  } finally {
    // Closing the session releases the lock, whatever state it is in.
    client.release(true)
  }
}
