import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { NONE, UNKNOWN } from './credits-model.ts'
import type { AccountModel } from './operations-model.ts'

/** Every row that decides about an account's money: of the account, its keys, grants, ledger, holds, calls and repeats. Times are ms. */
export async function readRows(
  db: Queryable,
  accountId: number,
  keyIds: readonly number[],
  holds: ReadonlyMap<string, number>,
): Promise<{ account: unknown[] } & Record<string, unknown>> {
  const ms = (column: string) => sql.raw(`round(extract(epoch from ${column}) * 1000)::float8`)
  const of = sql`where account_id = ${accountId}`
  const all = (columns: ReturnType<typeof sql>, from: ReturnType<typeof sql>) =>
    sql`(select coalesce(json_agg(json_build_array(${columns})), '[]') from (select * from ${from}) r)`
  const { rows } = await sql<Record<string, unknown[][]>>`
    select json_build_array(balance, unsettled, payg_left, payg_used, debt_credits, greatest(alert_below, -1), ${ms('due_at')},
        exists (select from usage_alerts_due d where d.account_id = a.account_id)) as account,
      ${all(sql`live, monthly_budget, case when budget_until <= app_now() then monthly_budget else budget_left end`, sql`meter_keys ${of} order by key_id`)} as keys,
      ${all(sql`kind, priority, amount, remaining, state, ${ms('effective_at')}, ${ms('expires_at')}, ${ms('created_at')}`, sql`credit_grants ${of} order by id`)} as grants,
      ${all(
        sql`grant_id, kind, ${ms('at')}, delta`,
        sql`(select (select count(*) from credit_grants g where g.account_id = l.account_id and g.id < l.grant_id) as grant_id, kind, at, delta
             from credit_ledger l ${of}) l`,
      )} as ledger,
      ${all(
        sql`id, key_id, from_credits, from_payg, from_budget, case when from_budget > 0 then ${ms('budget_until')} end, ${ms('expires_at')}, charge_as`,
        sql`credit_holds ${of}`,
      )} as holds,
      ${all(sql`${ms('at')}, key_id, from_credits, from_payg, success, tool_id, duration_ms`, sql`usage_events ${of}`)} as charges,
      ${all(sql`${ms('at')}, replayed`, sql`idempotency ${of}`)} as kept
    from credit_accounts a ${of}`.execute(db)
  const { account, keys, grants, ledger, holds: held, charges, kept } = rows[0]!
  const key = (id: unknown) => (id ? keyIds.indexOf(id as number) : null)
  return {
    account: account!,
    keys: keys!.map(([live, budget, left]) => [live, budget, budget === null ? null : left]),
    grants,
    ledger: sorted(ledger!),
    holds: sorted(held!.map(([id, keyId, ...rest]) => [holds.get(id as string), key(keyId), ...rest])),
    charges: sorted(charges!.map(([at, keyId, ...rest]) => [at, key(keyId), ...rest])),
    kept: sorted(kept!),
  }
}

/** The same, as the model has it. */
export function modelRows(model: AccountModel, now: number): object {
  const { balance, unsettled, payg, paygUsed, debt, alertBelow, dueAt, alerted } = model
  return {
    account: [balance, unsettled, payg, paygUsed, debt, alertBelow, time(dueAt), alerted],
    keys: model.keys.map(({ live, budget, left, until }) => [
      live,
      budget,
      budget === null || until > now ? (budget === null ? null : left) : budget,
    ]),
    grants: model.grants.map((one) => [
      one.kind,
      one.priority,
      one.amount,
      one.remaining,
      one.state,
      time(one.from),
      time(one.until),
      one.made,
    ]),
    ledger: sorted(model.ledger),
    holds: sorted(
      [...model.holds].map(([n, { key, credits, payg, budget, month, until, charge }]) => [
        n,
        key,
        ...[credits, payg, budget, budget > 0 ? month : null, until, charge ? 1 : null],
      ]),
    ),
    charges: sorted(
      model.charges.map(({ at, key, credits, payg, success, tool, durationMs }) => [
        ...[at, key, credits, payg, success, tool, durationMs],
      ]),
    ),
    kept: sorted([...model.kept.values()].map(({ charge, replayed }) => [charge.at, replayed])),
  }
}

/** As PostgreSQL writes it. */
const time = (at: number): number | 'Infinity' => (Number.isFinite(at) ? at : 'Infinity')

const sorted = (rows: readonly unknown[][]): string[] => rows.map((row) => JSON.stringify(row)).sort()

/**
 * A batch looks at an account's alert once, after all its entries. If it charges and also holds credits or gives some back, the
 * alert that the entries would leave in their order may be left to the next charge, raised by this one, or not be due: what was given
 * back last has lifted the balance again.
 */
export function followAlert(model: AccountModel, account: readonly unknown[]): void {
  const [balance, alertBelow, alerted] = [account[0], account[5], account[7]]
  const isLifted = model.alerted && !alerted && Number(balance) > Number(alertBelow)
  if (alertBelow === UNKNOWN || (alertBelow === NONE && alerted) || isLifted)
    Object.assign(model, { alertBelow, alerted })
}
