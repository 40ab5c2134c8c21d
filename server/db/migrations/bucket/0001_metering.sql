-- needs: usage_partition
-- Credits, the commit of metered calls, and one row per call. Protocol and invariants: server/features/metering/README.md.
-- A bucket has no foreign key outward: docs/decisions/0092-buckets.md.

-- Credits ------------------------------------------------------------------------------------------------------------

-- One row per account. balance = sum of the live grants' remaining - unsettled, always.
-- Hot: do not index a column that a commit changes, so that updates stay within the page.
create table credit_accounts (
  account_id bigint primary key,
  balance bigint not null default 0,
  unsettled bigint not null default 0,             -- spent, not yet burned into grants by credit_settle
  payg_enabled boolean not null default false,
  payg_left bigint not null default 0,             -- units that pay-as-you-go still allows in this period
  payg_used bigint not null default 0,             -- units used in this period
  unlimited boolean not null default false,        -- calls are recorded, nothing is charged
  blocked boolean not null default false,          -- suspended: every call is refused
  due_at timestamptz not null default 'infinity',  -- next expiry or start of a grant: after it, a commit settles first
  alert_below bigint not null default alert_below_unknown(), -- a charge that leaves this balance or less raises an alert
  debt_credits bigint not null default 0 check (debt_credits >= 0), -- spent although refunded: later grants repay it first
  constraint credits_sane check (balance >= 0 and unsettled >= 0 and payg_left >= 0 and payg_used >= 0),
  constraint payg_needs_consent check (payg_enabled or payg_left = 0)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
create index on credit_accounts (due_at) where due_at < 'infinity';

create table credit_grants (
  id bigint generated always as identity primary key,
  account_id bigint not null references credit_accounts (account_id),
  kind text not null check (kind in ('free', 'plan', 'trial', 'topup', 'promo', 'restore')),
  priority smallint not null,                      -- lower burns first
  amount bigint not null check (amount > 0),
  remaining bigint not null,
  state text not null default 'pending' check (state in ('pending', 'live', 'closed')),
  effective_at timestamptz not null,
  expires_at timestamptz not null default 'infinity',
  source_type text not null,
  source_id text not null,
  created_at timestamptz not null default app_now(),
  constraint remaining_sane check (remaining between 0 and amount),
  unique (source_type, source_id)
);
create index on credit_grants (account_id) where state <> 'closed';

-- Append-only: see server/db/functions/bucket/credit_ledger.sql.
create table credit_ledger (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  grant_id bigint not null references credit_grants (id),
  at timestamptz not null,
  kind text not null check (kind in ('grant', 'debit', 'expiry', 'refund', 'void', 'debt')),
  delta bigint not null,
  constraint sign_fits_kind check (case when kind in ('grant', 'refund') then delta > 0 else delta < 0 end)
);
create index on credit_ledger (account_id, id);
create index on credit_ledger (grant_id);
create index on credit_ledger (account_id, at);

-- Credits reserved for a slow or costly call before it runs, and settled by its commit. A hold is a charge without a usage
-- row: it counts as unsettled, so that grants that expire in the meantime burn for it first.
create table credit_holds (
  id uuid primary key,
  account_id bigint not null references credit_accounts (account_id),
  key_id bigint not null,                          -- 0: the playground
  from_credits bigint not null check (from_credits >= 0),
  from_payg bigint not null check (from_payg >= 0),
  from_budget bigint not null check (from_budget >= 0),
  budget_until timestamptz,                        -- the end of the month whose budget it uses
  expires_at timestamptz not null
);
create index on credit_holds (account_id);
create index on credit_holds (expires_at);

-- Accounts whose charges have reached alert_below, noted by the commit for the alert job.
create table usage_alerts_due (account_id bigint primary key references credit_accounts (account_id) on delete cascade);

-- The commit ---------------------------------------------------------------------------------------------------------

-- What the commit knows of a key.
create table meter_keys (
  key_id bigint primary key,
  account_id bigint not null,
  live boolean not null default true,
  monthly_budget bigint,                           -- credits per UTC month; null: none
  budget_left bigint not null default 0,
  budget_until timestamptz not null default '-infinity' -- after it, the budget starts anew
) with (fillfactor = 60);

-- The result of each batch, kept for a few hours, so that a server that lost the response can ask again by id.
create table meter_batches (
  id uuid primary key,
  at timestamptz not null,
  balances bigint[] not null,                      -- per account, ascending ids, after the batch
  unlimited bigint[],                              -- the accounts that pay nothing
  outcomes text[],                                 -- per call; null: every call was charged its price
  from_credits int[],                              -- per call, with outcomes
  from_payg int[],
  payg_left bigint[],                              -- per account, with outcomes
  first_receipts text[],                           -- per replayed call: 'batch n microseconds'
  voided boolean not null default false            -- answered 503: took no effect, or was taken back
);
create index on meter_batches using brin (at);

create table idempotency (
  account_id bigint not null,
  key uuid not null,                               -- first 128 bits of the SHA-256 of the client's key
  request uuid not null,
  batch uuid not null,
  n smallint not null,
  at timestamptz not null,                         -- with batch and n: the receipt of the first call
  replayed boolean not null default false,         -- a repeat was answered from this charge: meter_void keeps it
  primary key (account_id, key)
) with (fillfactor = 90);
create index on idempotency using brin (at);

-- Calls --------------------------------------------------------------------------------------------------------------

-- One row per answered call and per failed one. (account_id, at, batch, n) is the receipt.
create table usage_events (
  account_id bigint not null,
  at timestamptz not null,
  key_id bigint,                                   -- null: the playground, acting for the user
  batch uuid not null,
  n smallint not null,
  tool_id smallint not null,
  duration_ms int not null,
  from_credits int not null,
  from_payg int not null,
  success boolean not null,
  constraint errors_cost_nothing check (success or (from_credits = 0 and from_payg = 0)),
  constraint charge_sane check (from_credits >= 0 and from_payg >= 0)
) partition by range (at);
create index usage_events_by_account on usage_events (account_id, at);
-- Takes rows outside every daily partition, so that a late partition never loses a call.
create table usage_events_default partition of usage_events default;
do $$ begin for v_day in 0..7 loop perform usage_partition_create((app_now() at time zone 'UTC')::date + v_day); end loop; end $$;
