import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { notifyManagers } from '../notify-managers.ts'

type Needs = Pick<Deps, 'mail' | 'log' | 'config'>

/**
 * What automatic top-ups of this calendar month cost in a currency (null: in all) with their tax, as far as it is known, the open one
 * included.
 */
export async function spentThisMonth(tx: Queryable, accountId: number, currency: string | null): Promise<number> {
  const { rows } = await sql<{ cents: number }>`
    select coalesce(sum(coalesce(total_cents, cents)), 0)::bigint as cents from topups where account_id = ${accountId} and origin = 'auto'
      and (${currency}::text is null or coalesce(currency, ${currency}) = ${currency}) and status in ('open', 'paid') and created_at >= date_trunc('month', app_now(), 'UTC')`.execute(
    tx,
  )
  return rows[0]?.cents ?? 0
}

/** What a pack will probably cost with tax: as much more than its price as the account's last top-up did. */
export async function likelyCents(tx: Queryable, accountId: number, packCents: number): Promise<number> {
  const last = await tx
    .selectFrom('topups')
    .select(['cents', 'total_cents'])
    .where('account_id', '=', accountId)
    .where('total_cents', 'is not', null)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  return last ? Math.ceil((packCents * last.total_cents!) / last.cents) : packCents
}

/** Whether the open top-up takes the month over the account's limit, now that its tax is known. */
export async function isOverCap(tx: Queryable, accountId: number, currency: string | null): Promise<boolean> {
  const rule = await tx
    .selectFrom('auto_topups')
    .select('monthly_cap_cents')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const cap = rule?.monthly_cap_cents ?? null
  return cap !== null && (await spentThisMonth(tx, accountId, currency)) > cap
}

export async function tellCapReached(tx: Queryable, deps: Needs, accountId: number): Promise<void> {
  const { rows } = await sql<{
    month: string
  }>`select to_char(app_now() at time zone 'UTC', 'YYYY-MM') as month`.execute(tx)
  await notifyManagers(tx, deps, {
    accountId,
    kind: 'auto_topup.cap',
    ref: rows[0]!.month,
    subject: 'Automatic top-ups have reached their monthly limit',
    content: {
      heading: 'Automatic top-ups have reached their monthly limit',
      paragraphs: [
        'Your balance is below the threshold, and another top-up would exceed your monthly limit.',
        'No more credits are bought until next month. Raise the limit or top up manually to continue.',
      ],
      action: { label: 'Open billing', url: `${deps.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
}
