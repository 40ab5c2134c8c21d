import { sql } from 'kysely'
import type { Actor } from '../../../context.ts'
import { emptiestBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import { openCreditAccount } from '../../credits/open-account.ts'
import { addKey } from '../../keys/create.ts'
import { writeControls } from '../../keys/write-controls.ts'
import { raiseKeyBudget } from '../../metering/keys.ts'

/** Until when a new link can be used. */
export const linkEnd = sql<Date>`app_now() + interval '7 days'`

export const actor: Actor = { kind: 'system', name: 'agent-payments' }

interface Bought {
  id: number
  account_id: number
  credits: number
}

/**
 * Opens the account of a new balance in the caller's transaction: without people, with one key for tools, whose budget is what was
 * bought. The key is kept sealed, whatever KEYS_REVEAL says, until its answer needs no repeat. Returns the account.
 */
export async function openBalance(tx: Queryable, secrets: Secrets, { id, credits }: Bought): Promise<number> {
  const { id: accountId } = await tx
    .insertInto('accounts')
    .values({ name: 'Agent balance', bucket: emptiestBucket })
    .returning('id')
    .executeTakeFirstOrThrow()
  await openCreditAccount(tx, accountId)
  const key = await addKey(tx, { accountId, actor, secrets, reveal: 'always' }, 'agent')
  await writeControls(tx, { id: key.id, accountId }, { scopes: ['rest', 'mcp'], monthlyBudget: credits })
  await sql`insert into agent_balances (account_id, payment_id, key_id, link_until)
    values (${accountId}, ${id}, ${key.id}, ${linkEnd})`.execute(tx)
  return accountId
}

/** Raises the budget of the agent's key by what was added to its balance, and makes a new link. Returns whether the account is a balance. */
export async function topUpBalance(tx: Queryable, { account_id: accountId, credits }: Bought): Promise<boolean> {
  const { rows } = await sql<{ key_id: number }>`
    update agent_balances set links = links + 1, link_until = ${linkEnd}, empty_since = null where account_id = ${accountId}
    returning key_id`.execute(tx)
  if (!rows[0]) return false
  await raiseKeyBudget(tx, { keyId: rows[0].key_id, accountId }, credits)
  return true
}
