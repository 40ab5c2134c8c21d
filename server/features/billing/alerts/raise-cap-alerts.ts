import { sql } from 'kysely'
import { formatMoney } from '#contract/currency.ts'
import { enterBucket, sumOfBuckets } from '../../../db/buckets.ts'
import type { Database, Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { sumPaygUnits } from '../../usage/payg-units.ts'
import { notifyManagers } from '../notify-managers.ts'
import { heldCurrency, heldUnitAmount } from '../plans/price-in.ts'
import { queueAlert } from './queue-alert.ts'

type Needs = Pick<Deps, 'db' | 'log' | 'mail' | 'config'>

/** Percentages of the cap that send an alert. Reaching a higher one covers the lower ones. */
const PERCENTS = [100, 80]

interface Capped {
  account_id: number
  cap_cents: number
  currency: string
  /** Null where one currency is sold. */
  cap_currency: string | null
  /** Units that the cap pays for. */
  cap_units: number
  since: Date
  from: Date
  to: Date
}

/**
 * Alerts managers by mail, and the account's webhook, when pay-as-you-go usage reaches 80 and 100 percent of the spend
 * cap: each once per period, and again after the cap is changed. Reads the ledger's hourly sums of accounts with
 * pay-as-you-go calls in the last two hours. Safe at any time and on several instances. Returns how many were sent.
 */
export async function raiseCapAlerts(deps: Needs): Promise<number> {
  return sumOfBuckets(deps.db, (db) => raiseInBucket(deps, db))
}

async function raiseInBucket(deps: Needs, db: Database): Promise<number> {
  const { rows } = await sql<Capped>`
    with active as materialized (
      select distinct account_id from usage_by_hour
      where from_payg > 0 and hour >= date_trunc('hour', app_now(), 'UTC') - interval '1 hour'
    )
    select distinct on (s.account_id) s.account_id, a.spend_cap_cents as cap_cents, ${heldCurrency} as currency, a.spend_cap_currency as cap_currency,
      floor(a.spend_cap_cents / (${heldUnitAmount})::numeric)::bigint as cap_units,
      s.anchor_at as since, s.current_period_start as "from", s.current_period_end as "to"
    from subscriptions s join plans p using (price_id) join account_preferences a using (account_id)
    where p.metadata ->> 'type' = 'payg' and (${heldUnitAmount})::numeric > 0 and coalesce(a.spend_cap_currency, p.currency) = ${heldCurrency} and a.spend_cap_cents > 0
      and subscription_in_force(s.status, s.past_due_since)
      and s.account_id in (select account_id from active)
    order by s.account_id, s.anchor_at desc`.execute(db.kysely)
  let raised = 0
  for (const capped of rows)
    raised += await deps.db.kysely
      .transaction()
      .execute((tx) => raiseFor(tx, deps, capped))
      .catch((error: Error) => {
        deps.log.error({ account: capped.account_id, error: error.message }, 'could not send a spend cap alert')
        return 0
      })
  return raised
}

async function raiseFor(tx: Queryable, deps: Needs, capped: Capped): Promise<number> {
  const { account_id: accountId, cap_cents: cents, currency, cap_units: units, from, to } = capped
  await enterBucket(tx, accountId)
  const used = await sumPaygUnits(tx, accountId, capped)
  const percent = PERCENTS.find((one) => used * 100 >= units * one)
  if (percent === undefined) return 0
  const cap = formatMoney(cents, currency, true)
  const heading = percent === 100 ? 'Your spend cap is reached' : `${percent}% of your spend cap is used`
  const notified = await notifyManagers(tx, deps, {
    accountId,
    kind: `spend_cap.${percent}`,
    ref: `${from.toISOString()} ${cents}`,
    subject: heading,
    content: {
      heading,
      paragraphs: [
        `Pay-as-you-go has used ${used.toLocaleString('en-US')} requests in this period. Your cap of ${cap} pays for ${units.toLocaleString('en-US')}.`,
        percent === 100
          ? 'Calls beyond the cap are refused until the next period starts or you raise the cap.'
          : 'When the cap is reached, calls are refused. Raise it to avoid an interruption.',
      ],
      action: { label: 'Open billing', url: `${deps.config.PUBLIC_URL}/dashboard/billing/` },
    },
  })
  if (!notified) return 0
  await queueAlert(tx, accountId, {
    type: 'spend_cap.alert',
    data: {
      percent,
      cap_cents: cents,
      ...(capped.cap_currency && { currency }),
      used,
      cap_requests: units,
      period_start: from,
      period_end: to,
    },
  })
  return 1
}
