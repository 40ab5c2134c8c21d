import { sql } from 'kysely'
import type { z } from 'zod'
import type { operatorReceipt } from '#contract/operator/receipt.ts'
import { homeOf } from '../../../db/buckets.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { masked } from '../../keys/present.ts'
import type { CreditRule } from '../../tools/define-tool.ts'
import { toolPriceText } from '../../tools/listing/price-text.ts'
import { missingPrice, mostOf } from '../../tools/price.ts'
import { type FoundCall, findCall, isoTime } from '../find-call.ts'
import { withInvoiceOfGrant } from './grant-source.ts'

type Receipt = z.input<typeof operatorReceipt>

/** In which each server serves a new price. */
const TAKEN_OVER = '5 seconds'

/** Calls of one settlement that are counted. */
const MOST_COUNTED = 10_000

/** A call with what explains its charge, from the database or the archive. Throws not_found. */
export async function explainReceipt(deps: Pick<Deps, 'db' | 'archive' | 'tools'>, id: string): Promise<Receipt> {
  const call = await findCall(deps.db.kysely, id, deps.archive, { compare: false })
  const { ref, key, batch, fromCredits, fromPayg } = call
  return {
    id,
    at: isoTime(ref),
    customer: {
      id: call.publicId,
      name: call.accountName,
      owner_email: call.ownerEmail || null,
      unlimited: call.unlimited,
    },
    key: key && {
      id: key.publicId,
      name: key.name,
      masked: masked(key.start),
      deleted_at: key.deletedAt && new Date(key.deletedAt).toISOString(),
    },
    tool: call.tool,
    status: call.success ? 'success' : call.voided ? 'voided' : call.voided === null ? 'unknown' : 'failed',
    duration_ms: call.durationMs,
    price: await priceOf(deps, call),
    credits: fromCredits + fromPayg,
    from_credits: fromCredits,
    from_payg: fromPayg,
    balance_before: call.balanceAfter + fromCredits,
    balance_after: call.balanceAfter,
    settlement: await settlementOf((await homeOf(deps.db, call.accountId)).kysely, call),
    restored_credits: call.restored,
    idempotency: call.idempotency,
    reports: call.reports.map((report) => ({ ...report, at: report.at.toISOString() })),
    batch: {
      id: ref.batch,
      n: ref.n,
      calls: batch.calls,
      accounts: batch.accounts,
      median_ms: batch.medianMs,
      longest_ms: batch.longestMs,
    },
    archived: call.archived,
  }
}

interface PriceAt {
  text: string
  rule: CreditRule
  since: Date | null
}

/** The rule of the tool at that time, and what it must have counted for this charge. While servers take over a new price, the one that fits. */
async function priceOf({ db, tools }: Pick<Deps, 'db' | 'tools'>, call: FoundCall): Promise<Receipt['price']> {
  const at = sql`${isoTime(call.ref)}::timestamptz`
  const { rows: noted } = await sql<PriceAt & { changing: boolean }>`
    select p.text, p.rule, p.since, p.since > ${at} - ${TAKEN_OVER}::interval as changing from tool_prices p join tools t on t.id = p.tool_id
    where t.name = ${call.tool} and p.since <= ${at} + ${TAKEN_OVER}::interval order by p.since desc limit 2`.execute(
    db.kysely,
  )
  const tool = tools.current().get(call.tool)?.tool
  const today = tool ? [{ text: toolPriceText(tool), rule: tool.credits, since: null }] : []
  const possible = noted.length > 0 ? noted.slice(0, noted[0]!.changing ? 2 : 1) : today
  const explained = possible.map((price) => explain(price, call))
  return explained.find(({ fits }) => fits) ?? explained[0] ?? null
}

function explain({ text, rule, since }: PriceAt, call: FoundCall): NonNullable<Receipt['price']> {
  const charged = call.fromCredits + call.fromPayg
  const price = { text, since: since?.toISOString() ?? null, units: null }
  if (!call.success) return { ...price, fits: charged === 0 }
  if (rule.credits === 0) return { ...price, fits: charged === 0 }
  if (call.units) return { ...price, ...ofStored(rule, call.units, charged) }
  if (rule.kind === 'fixed') return { ...price, fits: charged === rule.credits }
  // An answer in which nothing can be counted costs the same whatever it was.
  if (call.units === 0 && (charged === 0 || charged === priceUncounted(rule)))
    return { ...price, units: countedAs(rule, 0), fits: true }
  const portions = charged / rule.credits
  const fits = Number.isInteger(portions)
  if (!fits || portions === 0) return { ...price, fits }
  const per = portionOf(rule)
  const to = portions * per
  return { ...price, units: { ...countedAs(rule, to), from: to - per + 1, stored: false }, fits }
}

/** What was counted, as it was stored with the call. It may cost less than this: at most the highest price, or that of the cache. */
function ofStored(rule: CreditRule, units: number, charged: number) {
  const counted = countedAs(rule, units)
  const full = counted.portions * rule.credits
  const most = rule.kind === 'fixed' ? undefined : mostOf(rule)
  // An answer that was not counted to its end costs at least what one costs in which nothing can be counted.
  const notToItsEnd =
    charged > full && [priceUncounted(rule), most, 'floor' in rule ? rule.floor : most].includes(charged)
  return { units: counted, fits: notToItsEnd || charged === Math.min(full, most ?? full) }
}

const countedAs = (rule: CreditRule, units: number) => ({
  name: unitOf(rule),
  from: units,
  to: units,
  stored: true,
  portions: Math.ceil(units / portionOf(rule)),
  credits_each: rule.credits,
})

const priceUncounted = (rule: CreditRule): number =>
  rule.kind === 'fixed' || rule.kind === 'kib' || 'perRows' in rule ? 0 : missingPrice(rule)

/** Of a fixed price, services of their own may count calls. */
const portionOf = (rule: CreditRule): number =>
  rule.kind === 'kib' || rule.kind === 'fixed' ? 1 : 'perRows' in rule ? rule.perRows : rule.per

const unitOf = ({ kind }: CreditRule): string => ({ kib: 'KiB', rows: 'rows', unit: 'units', fixed: 'calls' })[kind]

/** The grants that the call's settlement burned, and how many charged calls it was for. */
async function settlementOf(db: Queryable, call: FoundCall): Promise<Receipt['settlement']> {
  const { settled, accountId, fromCredits } = call
  if (!settled.at || fromCredits === 0) return null
  const { rows: burned } = await sql<NonNullable<Receipt['settlement']>['burned'][number]>`
    select l.id as ledger_id, l.grant_id, g.kind as grant_kind, -l.delta as credits, left_after - l.delta as before, left_after as after,
      i.id as invoice_id, i.number as invoice_number
    from credit_ledger l join credit_grants g on g.id = l.grant_id ${withInvoiceOfGrant}
    cross join lateral (select sum(delta)::bigint as left_after from credit_ledger e where e.grant_id = l.grant_id and e.id <= l.id) s
    where l.id = any(${settled.ids}) order by l.id`.execute(db)
  const { rows } = await sql<{ calls: number }>`
    select count(*)::int as calls from (select from usage_events where account_id = ${accountId} and from_credits > 0
      and at <= ${settled.at} and at > coalesce((select max(at) from credit_ledger where account_id = ${accountId} and kind = 'debit'
        and at < ${settled.at}), '-infinity') limit ${MOST_COUNTED + 1}) c`.execute(db)
  const { calls } = rows[0]!
  return { at: settled.at.toISOString(), calls: call.archived || calls > MOST_COUNTED ? null : calls, burned }
}
