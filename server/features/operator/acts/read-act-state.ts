import { sql } from 'kysely'
import type { z } from 'zod'
import type { actState } from '#contract/operator/act-routes.ts'
import { homeOf } from '../../../db/buckets.ts'
import type { Database } from '../../../db/database.ts'
import { isPayAsYouGo } from '../../billing/plans/plan-rules.ts'
import { readBalance } from '../../credits/balance.ts'
import type { FoundAccount } from '../find-account.ts'
import { listNotes } from './note.ts'
import { unpaidCredits } from './take-back.ts'

type ActState = z.input<typeof actState>

/** What acts on the account start from. */
export async function readActState(db: Database, { id, publicId, name }: FoundAccount): Promise<ActState> {
  const [facts, members, invitations, plans, notes] = await Promise.all([
    readFacts(db, id),
    readPeople(db, id),
    readInvitations(db, id),
    readPlans(db),
    listNotes(db.kysely, id),
  ])
  const unpaid = await db.kysely.transaction().execute((tx) => unpaidCredits(tx, id))
  const { remaining } = await readBalance((await homeOf(db, id)).kysely, id)
  return {
    id: publicId,
    name,
    ...facts,
    balance: remaining,
    unpaid_credits: unpaid,
    members,
    invitations,
    plans,
    notes,
  }
}

async function readFacts({ kysely }: Database, accountId: number) {
  const { rows } = await sql<{
    owner_email: string | null
    suspended_at: Date | null
    deletion_due_at: Date | null
    rate_limit_per_minute: number | null
    plan_rate_limit_per_minute: number | null
  }>`
    select nullif(p.email, '') as owner_email, a.suspended_at, p.deletion_due_at, a.rate_limit_per_minute,
      case when a.rate_limit_per_minute is null then account_rate_limit(a.id) end as plan_rate_limit_per_minute
    from accounts a left join account_members m on m.account_id = a.id and m.role = 'owner'
    left join profiles p on p.user_id = m.user_id where a.id = ${accountId}`.execute(kysely)
  const { suspended_at, deletion_due_at, ...rest } = rows[0]!
  return {
    ...rest,
    suspended_at: suspended_at?.toISOString() ?? null,
    deletion_due_at: deletion_due_at?.toISOString() ?? null,
  }
}

/** `confirmed`: the address is. With another auth service, that one knows it, and it counts as confirmed. */
async function readPeople({ kysely }: Database, accountId: number): Promise<ActState['members']> {
  const { rows } = await sql<ActState['members'][number]>`
    select m.user_id, p.email, m.role, u.id is null or u.email is null or u.email_confirmed_at is not null as confirmed
    from account_members m join profiles p on p.user_id = m.user_id left join auth.users u on u.id = m.user_id
    where m.account_id = ${accountId} order by array_position(array['owner', 'admin', 'member'], m.role), m.created_at`.execute(
    kysely,
  )
  return rows
}

async function readInvitations({ kysely }: Database, accountId: number): Promise<ActState['invitations']> {
  const { rows } = await sql<ActState['invitations'][number]>`
    select public_id as id, email, expires_at <= app_now() as expired from account_invitations
    where account_id = ${accountId} and closed_at is null order by id desc`.execute(kysely)
  return rows
}

/** Plans that an operator can give without payment. */
async function readPlans({ kysely }: Database): Promise<ActState['plans']> {
  const plans = await kysely
    .selectFrom('plans')
    .select(['price_id', 'name', 'interval', 'credits', 'metadata'])
    .where('active', '=', true)
    .orderBy('position')
    .execute()
  return plans
    .filter(({ metadata }) => !isPayAsYouGo({ metadata: metadata as Record<string, string> }))
    .map(({ metadata: _, ...plan }) => plan)
}
