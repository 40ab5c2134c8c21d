import { type Selectable, sql } from 'kysely'
import { enterBucket } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Plans } from '../../../db/schema.gen.ts'
import { grantCredits } from '../../credits/grant.ts'
import { voidCredits } from '../../credits/void.ts'
import type { EventContext } from '../events/event-context.ts'
import type { InvoiceFacts, LineFacts } from '../stripe/fetch-invoice.ts'
import { endLeeway, TRIAL_LEEWAY } from '../subscriptions/end-leeway.ts'
import { grantDueMonths } from './grant-months.ts'

interface PaidLine {
  accountId: number
  invoice: InvoiceFacts
  line: LineFacts
  plan: Selectable<Plans>
}

/** Grants what one paid invoice line bought: a plan period or a trial. Once per line. */
export async function grantLine(ctx: EventContext, paid: PaidLine): Promise<void> {
  const { accountId, invoice, line, plan } = paid
  // The months of a free plan are granted with its subscription.
  if (plan.credits === 0 || plan.price_cents === 0) return
  await enterBucket(ctx.tx, accountId)
  const kind = line.cents === 0 ? 'trial' : 'plan'
  if (kind === 'trial' && !(await redeemTrial(ctx.tx, accountId, line.id))) return
  const months = kind === 'plan' && plan.interval === 'year' ? 12 : 1
  await ctx.tx
    .insertInto('invoice_lines')
    .values({
      id: line.id,
      invoice_id: invoice.id,
      account_id: accountId,
      subscription_id: invoice.subscriptionId,
      price_id: plan.price_id,
      kind,
      cents: line.cents,
      period_start: line.start,
      period_end: line.end,
      credits: plan.credits,
      months,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  ctx.step?.('line written')
  if (kind === 'trial') await grantTrial(ctx.tx, paid)
  else await grantDueMonths(ctx.tx, line.id)
  ctx.step?.('credits granted')
  if (invoice.subscriptionId === null) return
  await voidSuperseded(ctx.tx, invoice.subscriptionId)
  await endLeeway(ctx.tx, invoice.subscriptionId)
}

/** Records the account's only trial; true if this line is it. */
async function redeemTrial(tx: Queryable, accountId: number, lineId: string): Promise<boolean> {
  await tx
    .insertInto('plan_redemptions')
    .values({ account_id: accountId, kind: 'trial', source_id: lineId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await tx
    .selectFrom('plan_redemptions')
    .select('source_id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'trial')
    .executeTakeFirst()
  return row?.source_id === lineId
}

async function grantTrial(tx: Queryable, { accountId, line, plan }: PaidLine): Promise<void> {
  const { rows } = await sql<{ end: Date }>`select ${line.end}::timestamptz + ${TRIAL_LEEWAY} as "end"`.execute(tx)
  await grantCredits(tx, {
    accountId,
    kind: 'trial',
    amount: plan.credits,
    sourceType: 'plan_line',
    sourceId: `${line.id}:0`,
    effectiveAt: line.start,
    expiresAt: rows[0]!.end,
  })
}

/** A later period that started before an earlier one ended replaces it: the rest of the earlier grant ends. */
async function voidSuperseded(tx: Queryable, subscriptionId: string): Promise<void> {
  const { rows } = await sql<{ id: number; remaining: number }>`
    with l as materialized (
      select id, account_id, (select min(later.period_start) from invoice_lines later
        where later.subscription_id = l.subscription_id and later.period_start > l.period_start) as next_start
      from invoice_lines l where subscription_id = ${subscriptionId}
    )
    select g.id, g.remaining from l
    join credit_grants g on g.account_id = l.account_id and g.source_type = 'plan_line' and split_part(g.source_id, ':', 1) = l.id
    where g.state <> 'closed' and l.next_start < g.expires_at
    order by g.created_at, g.id`.execute(tx)
  for (const { id, remaining } of rows) await voidCredits(tx, id, remaining)
}
