import type { KeyScope } from '#contract/keys.ts'
import type { UserContext } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import { requireActive } from '../account/require-active.ts'
import { addKey, countKeys, MAX_KEYS, newKeyOf } from './create.ts'
import { writeControls } from './write-controls.ts'

/**
 * Creates the key of a connected program in the caller's transaction. Its value is never shown.
 * `monthlyBudget` in credits; null: no budget. Returns its database id. Call it under `lockAccount`.
 * Throws forbidden, account_suspended, or conflict when there are too many keys or the workspace is being deleted.
 */
export async function addConnectionKey(
  tx: Queryable,
  ctx: UserContext,
  name: string,
  monthlyBudget: number | null,
  scopes: KeyScope[] = ['mcp'],
): Promise<number> {
  await requireActive(tx, ctx)
  if ((await countKeys(tx, ctx.actor.accountId)) >= MAX_KEYS)
    throw new AppError('conflict', `This workspace has ${MAX_KEYS} API keys, which is the maximum. Delete one first.`)
  const { id } = await addKey(tx, { ...newKeyOf(ctx), reveal: 'once' }, name)
  await writeControls(
    tx,
    { id, accountId: ctx.actor.accountId },
    { scopes, ...(monthlyBudget !== null && { monthlyBudget }) },
  )
  return id
}
