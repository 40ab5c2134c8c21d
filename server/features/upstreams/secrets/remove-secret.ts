import type { Queryable } from '../../../db/database.ts'
import { transact } from '../../../db/in-transaction.ts'
import { noteChange, requireName } from './set-secret.ts'
import { usesOfSecrets } from './uses-of-secrets.ts'

/** Removes a stored secret. Throws an Error for an unknown one, and for one that a published version uses. */
export const removeSecret = (db: Queryable, name: string): Promise<void> =>
  transact(db, async (tx) => {
    requireName(name)
    const { numDeletedRows } = await tx.deleteFrom('upstream_secrets').where('name', '=', name).executeTakeFirst()
    if (numDeletedRows === 0n) throw new Error(`The secret store has no ${name}.`)
    const users = (await usesOfSecrets(tx)).filter((use) => use.name === name && use.served)
    if (users.length > 0)
      throw new Error(
        `${name} is used by ${users.map(({ upstream, version }) => `${upstream} version ${version}`).join(', ')}. Publish a version without it first, or remove the upstream.`,
      )
    await noteChange(tx, 'removed', name)
  })
