import { sql } from 'kysely'
import type { Workspace } from '#contract/account.ts'
import type { OfferedBalance } from '#contract/balances.ts'
import type { UserContext } from '../../../context.ts'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { idInLink, isCurrent } from '../../../secrets/link-token.ts'
import { audit } from '../../account/audit.ts'
import { readWorkspace } from '../../account/list-workspaces.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { readBalance } from '../../credits/balance.ts'
import { suspendedError } from '../../shop/suspended-error.ts'

/** The same for links that are unknown, altered, used, replaced or expired. */
const gone = () => new AppError('not_found', 'This link is not valid. Ask the agent for a new one.')

/** What a person who is signed in would own with the link. `workspace`: they do already. Throws not_found. */
export async function previewBalance(ctx: UserContext, token: string): Promise<OfferedBalance> {
  return ctx.deps.db.kysely.transaction().execute(async (tx) => {
    const found = await findBalance(tx, ctx, token)
    await enterBucket(tx, found.accountId)
    const [{ remaining }, { rows }] = [
      await readBalance(tx, found.accountId),
      await sql<OfferedBalance['purchases'][number]>`
        select public_id as payment, to_char(decided_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at, credits, (micro_usd / 10000)::bigint as cents
        from agent_payments where account_id = ${found.accountId} and product = 'balance' and state = 'settled'
        order by id desc limit 20`.execute(tx),
    ]
    return {
      credits: remaining,
      purchases: rows,
      expires_at: found.linkUntil.toISOString(),
      workspace: found.isOwn ? await readWorkspace(tx, ctx.actor.userId, found.accountId) : null,
    }
  })
}

/**
 * Makes the person the owner of a balance, whose account becomes one more workspace of theirs. Its key goes on working. The link works
 * once; its user is led to the workspace. Throws not_found, account_suspended.
 */
export async function claimBalance(ctx: UserContext, token: string): Promise<Workspace> {
  const { actor, deps } = ctx
  return deps.db.kysely.transaction().execute(async (tx) => {
    await lockAccount(tx, (await findBalance(tx, ctx, token)).accountId)
    const { accountId, publicId, isOwn, isSuspended } = await findBalance(tx, ctx, token)
    if (isOwn) return readWorkspace(tx, actor.userId, accountId)
    if (isSuspended) throw suspendedError(deps.shop.current())
    await tx
      .insertInto('account_members')
      .values({ account_id: accountId, user_id: actor.userId, role: 'owner' })
      .execute()
    const { rows } = await sql<{ key_id: number }>`
      update agent_balances set claimed_at = app_now() where account_id = ${accountId} returning key_id`.execute(tx)
    // From now on the installation's own rule holds for who sees the key.
    if (deps.config.KEYS_REVEAL === 'once')
      await tx.updateTable('api_keys').set({ ciphertext: null }).where('id', '=', rows[0]!.key_id).execute()
    await audit(tx, { accountId, actor: { ...actor, accountId }, action: 'balance.claimed', target: publicId })
    return readWorkspace(tx, actor.userId, accountId)
  })
}

interface Found {
  accountId: number
  publicId: string
  links: number
  linkUntil: Date
  isOwn: boolean
  isSuspended: boolean
}

async function findBalance(db: Queryable, { actor, deps }: UserContext, token: string): Promise<Found> {
  const publicId = idInLink(token)
  if (!publicId) throw gone()
  const { rows } = await sql<Found>`
    select a.id as "accountId", a.public_id as "publicId", links, link_until as "linkUntil", m.user_id is not null as "isOwn",
      a.suspended_at is not null as "isSuspended"
    from agent_balances b join accounts a on a.id = b.account_id
    left join account_members m on m.account_id = a.id and m.user_id = ${actor.userId} and m.role = 'owner'
    where a.public_id = ${publicId} and closed_at is null and (m.user_id is not null or claimed_at is null and link_until > app_now())`.execute(
    db,
  )
  const [found] = rows
  if (!found || !isCurrent(deps.secrets, 'agent_balances.link', token, publicId, found.links)) throw gone()
  return found
}
