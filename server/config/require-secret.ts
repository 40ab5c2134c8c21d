import type { Database } from '../db/database.ts'
import { everySealedColumn } from '../secrets/sealed-columns.ts'
import type { Secrets } from '../secrets/secrets.ts'

const SAMPLE = 5

/** The configuration and the database do not belong together. */
export class WrongSecret extends Error {
  override name = 'WrongSecret'
  constructor() {
    super(
      'KEYS_SECRET is not the one that this database was encrypted with. Set that one; to replace it, see "Changing KEYS_SECRET" in docs/operations.md.',
    )
  }
}

/**
 * Throws WrongSecret if the database has encrypted values and none of the newest opens with the present or a previous
 * secret: what is written next would then be lost to the right one. A database without any passes. Returns the secret
 * that they were encrypted with; of both, the present one.
 */
export async function requireSecret(
  { pool }: Pick<Database, 'pool'>,
  secrets: Secrets,
): Promise<'present' | 'previous'> {
  const parts = everySealedColumn.map(
    ({ table, key, value, context }, at) =>
      `(select ${at} as at, ${context} as context, ${value} as value from ${table} where octet_length(${value}) > 28
        order by ${key.map((name) => `${name} desc`).join(', ')} limit ${SAMPLE})`,
  )
  const { rows } = await pool.query<{ at: number; context: string; value: Buffer }>(parts.join(' union all '))
  const used = rows.map(({ at, context, value }) => secretOf(secrets, at, value, context))
  if (rows.length === 0 || used.includes('present')) return 'present'
  if (used.includes('previous')) return 'previous'
  throw new WrongSecret()
}

function secretOf(secrets: Secrets, at: number, value: Buffer, context: string): 'present' | 'previous' | null {
  try {
    return secrets.renew(everySealedColumn[at]!.purpose, value, context) === null ? 'present' : 'previous'
  } catch {
    return null
  }
}
