/**
 * One file of an export and the query of its rows. The export reads everything, so this file alone knows every table.
 */
export interface Source {
  file: string
  /** Rows of one person or one account. `$1` is the person's uuid or the account's number. */
  sql: string
  /** Columns that are left out: secrets, and internal numbers. */
  without?: readonly string[]
}

/** Data about the person, whatever they own. */
export const personSources: Source[] = [
  { file: 'profile', sql: 'select * from profiles where user_id = $1' },
  { file: 'sign-in/user', sql: 'select * from auth.users where id = $1', without: ['password_hash'] },
  { file: 'sign-in/identities', sql: 'select * from auth.identities where user_id = $1 order by created_at' },
  { file: 'sign-in/sessions', sql: 'select * from auth.sessions where user_id = $1 order by created_at' },
  {
    file: 'sign-in/factors',
    sql: `select id, factor_type, friendly_name, phone, status, failures, locked_until, last_challenged_at, created_at, updated_at
      from auth.mfa_factors where user_id = $1 order by created_at`,
  },
  {
    file: 'sign-in/events',
    sql: `select at, actor, action, target, detail from audit_log
      where account_id is null and (actor = 'user:' || $1 and subject is null or subject = $1::uuid) order by id`,
  },
  {
    file: 'memberships',
    sql: `select a.public_id as workspace_id, a.name, a.personal_of = m.user_id as personal, m.role, m.created_at as joined_at
      from account_members m join accounts a on a.id = m.account_id where m.user_id = $1 order by m.created_at`,
  },
  {
    file: 'invitations-received',
    sql: `select i.email, i.role, i.created_at, i.expires_at, i.closed_at from account_invitations i
      join profiles p on lower(p.email) = i.email where p.user_id = $1 order by i.id`,
  },
  {
    file: 'emails',
    sql: `select m.kind, m.state, m.attempts, m.created_at from mail_log m
      join profiles p on lower(p.email) = m.recipient where p.user_id = $1 order by m.created_at, m.id`,
  },
  {
    file: 'connected_programs',
    sql: `select g.client_id, k.name, g.scope, g.created_at, a.public_id as workspace_id from oauth_grants g
      join api_keys k on k.id = g.key_id join accounts a on a.id = g.account_id where g.user_id = $1 order by g.created_at`,
  },
  {
    file: 'playground_servers',
    sql: `select s.name, s.command, s.protocol_version, s.connected_at, a.public_id as workspace_id from playground_servers s
      join accounts a on a.id = s.account_id where s.user_id = $1 order by s.connected_at, s.name`,
  },
  {
    file: 'exports',
    sql: 'select status, requested_at, ready_at, expires_at, bytes from data_exports where user_id = $1 order by id',
  },
]

/** Tables with a column account_id that are exported as they are, each with the order of its rows. */
const plainTables: Record<string, string> = {
  account_invitations: 'id',
  account_preferences: 'account_id',
  alert_deliveries: 'id',
  auto_topups: 'account_id',
  billing_customers: 'account_id',
  billing_notices: 'at, kind, ref',
  checkouts: 'id',
  credit_accounts: 'account_id',
  credit_grants: 'created_at, id',
  credit_ledger: 'at, id',
  invoice_lines: 'id',
  invoices: 'created_at, id',
  money_ledger: 'id',
  payg_hours: 'hour',
  payg_invoices: 'invoice_id',
  plan_redemptions: 'kind',
  reversals: 'charge_id',
  subscriptions: 'id',
  tax_ids: 'added_at, id',
  topups: 'id',
  trial_cards: 'fingerprint',
  usage_alerts: 'account_id',
  usage_reports: 'id',
}

/**
 * Tables with a column account_id without personal data: short-lived state of the meter and the playground, and
 * credentials for servers that the export names.
 */
export const leftOut = [
  // Of accounts without people.
  'agent_accounts',
  'agent_balances',
  'agent_payments',
  'bucket_moves',
  'credit_holds',
  'idempotency',
  'kept_answers',
  'meter_keys',
  'operator_accounts',
  'operator_log',
  'operator_top',
  'playground_events',
  'playground_sign_ins',
  'playground_tickets',
  'stream_receipts',
  'usage_alerts_due',
]

/** Data of a workspace, for its owner. */
export const accountSources: Source[] = [
  {
    file: 'workspace',
    sql: 'select public_id as id, name, personal_of is not null as personal, rate_limit_per_minute, suspended_at, created_at from accounts where id = $1',
  },
  {
    file: 'members',
    sql: `select p.full_name, p.email, m.role, m.created_at as joined_at from account_members m
      join profiles p on p.user_id = m.user_id where m.account_id = $1 order by m.created_at`,
  },
  { file: 'api_keys', sql: 'select * from api_keys where account_id = $1 order by id', without: ['id'] },
  {
    file: 'audit_log',
    sql: 'select at, actor, action, target, detail from audit_log where account_id = $1 order by id',
  },
  {
    file: 'usage_events',
    sql: `select e.at, t.name as tool, k.public_id as key_id, k.name as key_name, e.success, e.from_credits, e.from_payg,
        e.duration_ms, e.batch, e.n, e.units
      from (select * from usage_events union select * from archived_events) e left join tools t on t.id = e.tool_id left join api_keys k on k.id = e.key_id
      where e.account_id = $1 order by e.at, e.batch, e.n`,
  },
  {
    file: 'usage_hourly',
    sql: `select h.hour, k.public_id as key_id, k.name as key_name, sum(h.success)::bigint as success, sum(h.failed)::bigint as failed,
        sum(h.refused)::bigint as refused, sum(h.from_credits)::bigint as from_credits, sum(h.from_payg)::bigint as from_payg
      from usage_by_hour h left join api_keys k on k.id = h.key_id where h.account_id = $1 group by h.hour, h.key_id, 2, 3 order by h.hour, h.key_id`,
  },
  {
    file: 'usage_daily',
    sql: `select d.day::text as day, k.public_id as key_id, k.name as key_name, sum(d.success)::bigint as success, sum(d.failed)::bigint as failed,
        sum(d.refused)::bigint as refused, sum(d.from_credits)::bigint as from_credits, sum(d.from_payg)::bigint as from_payg, max(d.last_at) as last_at
      from usage_by_day d left join api_keys k on k.id = d.key_id where d.account_id = $1 group by d.day, d.key_id, 2, 3 order by d.day, d.key_id`,
  },
  {
    file: 'usage_durations',
    sql: `select (d.since at time zone 'UTC')::date::text as day, k.public_id as key_id, k.name as key_name, d.bucket as duration_bucket, sum(d.calls)::bigint as calls
      from usage_durations d left join api_keys k on k.id = d.key_id where d.account_id = $1 and d.key_id >= 0 and not d.hourly
      group by 1, d.key_id, 2, 3, 4 having sum(d.calls) <> 0 order by 1, d.key_id, 4`,
  },
  // Without the operator's name, which is about somebody else.
  { file: 'support_notes', sql: 'select at, note from account_notes where account_id = $1 order by id' },
  {
    file: 'support_views',
    sql: 'select started_at, ended_at from support_views where account_id = $1 order by started_at',
  },
  {
    file: 'refunds',
    sql: 'select invoice_id, cents, state, created_at, changed_at from refunds where account_id = $1 order by created_at',
  },
  {
    file: 'usage_by_tool',
    sql: `select m.month::text as month, t.name as tool, m.calls, m.charged, m.credits from tool_months m left join tools t on t.id = m.tool_id
      where m.account_id = $1 order by m.month, t.name`,
  },
  { file: 'alert_webhook', sql: 'select url from alert_webhooks where account_id = $1' },
  {
    file: 'connected_programs',
    sql: `select g.client_id, k.name, g.scope, g.created_at, k.public_id as key_id from oauth_grants g
      join api_keys k on k.id = g.key_id where g.account_id = $1 order by g.created_at`,
  },
  ...Object.entries(plainTables).map(
    ([table, order]): Source => ({
      file: table,
      sql: `select * from ${table} where account_id = $1 order by ${order}`,
      without: ['account_id'],
    }),
  ),
]

/** The tables that the sources read by account, to check that none is missing. */
export const accountTables = [
  ...Object.keys(plainTables),
  'account_members',
  'account_notes',
  'alert_webhooks',
  'api_keys',
  'audit_log',
  'oauth_grants',
  'refunds',
  'support_views',
  // Per person: members of one workspace do not see each other's.
  'playground_servers',
  'tool_months',
  'usage_events',
  'usage_hourly',
  'usage_daily',
  'usage_latency',
  // Pending parts of the hourly and daily sums, until the hour is over.
  'usage_open',
]
