import type { World } from './world.ts'

/** Tables that events write, without attempt counters and check times. */
const state: Record<string, string> = {
  subscriptions: 'to_jsonb(t)',
  invoices: 'to_jsonb(t)',
  invoice_lines: 'to_jsonb(t)',
  topups: 'to_jsonb(t)',
  checkouts: "to_jsonb(t) - 'checked_at'",
  plan_redemptions: 'to_jsonb(t)',
  reversals: 'to_jsonb(t)',
  disputes: 'to_jsonb(t)',
  auto_topups: 'to_jsonb(t)',
  payg_hours: 'to_jsonb(t)',
  payg_invoices: 'to_jsonb(t)',
  billing_notices: 'to_jsonb(t)',
  billing_customers: 'to_jsonb(t)',
  tax_ids: 'to_jsonb(t)',
  money_ledger: 'to_jsonb(t)',
  credit_grants: 'to_jsonb(t)',
  credit_ledger: 'to_jsonb(t)',
  credit_accounts: 'to_jsonb(t)',
}

async function snapshot({ server }: World): Promise<string[]> {
  const rows: string[] = []
  for (const [table, row] of Object.entries(state)) {
    const found = await server.db.pool.query(`select '${table} ' || (${row})::text as text from ${table} t order by 1`)
    rows.push(...found.rows.map(({ text }) => text))
  }
  return rows
}

/** I6: applies every event again in random order. Returns the rows that changed, which should be none. */
export async function replayAll(world: World): Promise<string[]> {
  const { server } = world
  const before = await snapshot(world)
  await server.db.pool.query(
    "update stripe_events set processed_at = null, next_attempt_at = app_now(), created_at = created_at + random() * interval '1 day'",
  )
  await world.stage.settle()
  const after = await snapshot(world)
  const waiting = await server.db.pool.query('select id, error from stripe_events where processed_at is null')
  return [
    ...before.filter((row) => !after.includes(row)).map((row) => `- ${row}`),
    ...after.filter((row) => !before.includes(row)).map((row) => `+ ${row}`),
    ...waiting.rows.map(({ id, error }) => `not applied: ${id} ${error}`),
  ]
}
