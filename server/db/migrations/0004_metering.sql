-- Credits, the commit of metered calls, and usage. The protocol and the invariants: server/features/metering/README.md.

-- Credits ------------------------------------------------------------------------------------------------------------

-- One row per account. balance = sum of live grants' remaining - unsettled, always.
-- Hot: no column that a commit changes may be indexed, so that updates stay within the page.
create table credit_accounts (
  account_id bigint primary key references accounts (id),
  balance bigint not null default 0,
  unsettled bigint not null default 0,             -- spent, not yet burned into grants by credit_settle
  payg_enabled boolean not null default false,
  payg_left bigint not null default 0,             -- units that pay-as-you-go still allows in this period
  payg_used bigint not null default 0,             -- units used in this period
  unlimited boolean not null default false,        -- calls are recorded, nothing is charged
  blocked boolean not null default false,          -- suspended: every call is refused
  due_at timestamptz not null default 'infinity',  -- next expiry or start of a grant: a commit settles first when it has passed
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

create table credit_ledger (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  grant_id bigint not null references credit_grants (id),
  at timestamptz not null,
  kind text not null check (kind in ('grant', 'debit', 'expiry', 'refund')),
  delta bigint not null,
  constraint sign_fits_kind check (case when kind in ('grant', 'refund') then delta > 0 else delta < 0 end)
);
create index on credit_ledger (account_id, id);
create index on credit_ledger (grant_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is not allowed', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
create trigger credit_ledger_append_only before update or delete or truncate on credit_ledger
  for each statement execute function refuse_change();

-- Brings one account up to p_at: burns unsettled credits into live grants (priority, earliest expiry, oldest), closes
-- what has expired, opens what has begun, and sets due_at. Takes the account's lock; repeating it changes nothing.
create function credit_settle(p_account bigint, p_at timestamptz) returns void language plpgsql as $$
declare
  a credit_accounts;
  v_delta bigint;
begin
  select * into a from credit_accounts where account_id = p_account for no key update;
  if not found then return; end if;
  if a.unsettled > 0 then
    with live as (
      select id, remaining, sum(remaining) over (order by priority, expires_at, id) - remaining as before
      from credit_grants where account_id = p_account and state = 'live'
    ), part as (
      select id, least(remaining, a.unsettled - before)::bigint as burned from live where before < a.unsettled and remaining > 0
    ), burn as (
      update credit_grants g set remaining = g.remaining - part.burned, state = case when g.remaining = part.burned then 'closed' else 'live' end
      from part where g.id = part.id returning g.id, part.burned
    )
    insert into credit_ledger (account_id, grant_id, at, kind, delta) select p_account, id, p_at, 'debit', -burned from burn order by id;
    update credit_accounts set unsettled = 0 where account_id = p_account;
  end if;
  while a.due_at <= p_at loop
    with expired as (
      select id, remaining from credit_grants where account_id = p_account and state = 'live' and expires_at <= p_at
    ), closed as (
      update credit_grants g set remaining = 0, state = 'closed' from expired where g.id = expired.id returning g.id, expired.remaining
    ), lines as (
      insert into credit_ledger (account_id, grant_id, at, kind, delta)
      select p_account, id, p_at, 'expiry', -remaining from closed where remaining > 0 order by id returning delta
    ), opened as (
      update credit_grants set state = 'live' where account_id = p_account and state = 'pending' and effective_at <= p_at returning remaining
    )
    select coalesce((select sum(delta) from lines), 0) + coalesce((select sum(remaining) from opened), 0) into v_delta;
    update credit_accounts set balance = balance + v_delta,
      due_at = coalesce((select min(case state when 'live' then expires_at else effective_at end)
        from credit_grants where account_id = p_account and state <> 'closed'), 'infinity')
    where account_id = p_account returning due_at into a.due_at;
  end loop;
end $$;

-- Adds a grant unless its source was granted before. True: granted now.
create function credit_grant(p_account bigint, p_kind text, p_priority smallint, p_amount bigint, p_source_type text, p_source_id text,
  p_effective_at timestamptz, p_expires_at timestamptz) returns boolean language plpgsql as $$
declare
  v_at timestamptz;
  v_grant bigint;
  v_from timestamptz;
begin
  perform 1 from credit_accounts where account_id = p_account for no key update;
  if not found then raise exception 'account % has no credit account', p_account using errcode = 'foreign_key_violation'; end if;
  v_at := app_now();
  perform credit_settle(p_account, v_at);
  v_from := coalesce(p_effective_at, v_at);
  insert into credit_grants (account_id, kind, priority, amount, remaining, effective_at, expires_at, source_type, source_id)
    values (p_account, p_kind, p_priority, p_amount, p_amount, v_from, coalesce(p_expires_at, 'infinity'), p_source_type, p_source_id)
    on conflict (source_type, source_id) do nothing returning id into v_grant;
  if v_grant is null then return false; end if;
  insert into credit_ledger (account_id, grant_id, at, kind, delta) values (p_account, v_grant, v_at, 'grant', p_amount);
  update credit_accounts set due_at = least(due_at, v_from) where account_id = p_account;
  perform credit_settle(p_account, v_at);
  perform pg_notify('credits_changed', p_account::text);
  return true;
end $$;

-- Usage --------------------------------------------------------------------------------------------------------------

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
-- Takes what falls outside every day's partition, so that a late partition never loses a call.
create table usage_events_default partition of usage_events default;

-- Makes the partition of one UTC day, moving in what the default partition caught. True: made now.
-- Built beside and attached: writers of other days are not held up.
create function usage_partition_create(p_day date) returns boolean language plpgsql as $$
declare
  v_name text := 'usage_events_' || to_char(p_day, 'YYYYMMDD');
  v_from timestamptz := p_day::timestamp at time zone 'UTC';
  v_to timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
begin
  perform pg_advisory_xact_lock(hashtext('usage_partition_create'));
  if to_regclass(v_name) is not null then return false; end if;
  execute format('create table %I (like usage_events including constraints including indexes)', v_name);
  lock table usage_events_default in access exclusive mode;
  execute format('with moved as (delete from usage_events_default where at >= %L and at < %L returning *) insert into %I select * from moved', v_from, v_to, v_name);
  execute format('alter table usage_events attach partition %I for values from (%L) to (%L)', v_name, v_from, v_to);
  return true;
end $$;
select usage_partition_create((app_now() at time zone 'UTC')::date + day) from generate_series(0, 7) day;

-- Sums of usage_events, written by the same commit: they agree with the rows to the unit. Old hours are merged into days.
create table usage_hourly (
  account_id bigint not null,
  key_id bigint not null,                          -- 0: the playground
  hour timestamptz not null,
  success bigint not null,
  failed bigint not null,
  from_credits bigint not null,
  from_payg bigint not null,
  last_at timestamptz not null,
  primary key (account_id, hour, key_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);

-- What a client saw of a call, in its own words. Never touches credits or usage.
create table usage_reports (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  user_id uuid not null,
  at timestamptz not null default app_now(),
  event text not null,
  receipt_id text,
  message text
);
create index on usage_reports (account_id, at);
create index on usage_reports (account_id, receipt_id);

-- The commit ---------------------------------------------------------------------------------------------------------

-- What the commit knows of a key.
create table meter_keys (
  key_id bigint primary key,
  account_id bigint not null,
  live boolean not null default true,
  monthly_budget bigint,                           -- credits per UTC month; null: none
  budget_left bigint not null default 0,
  budget_until timestamptz not null default '-infinity' -- when it has passed, the budget begins anew
) with (fillfactor = 60);

-- What became of a batch; kept for some hours, so that a server that lost the answer can ask again by id.
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
  primary key (account_id, key)
) with (fillfactor = 90);
create index on idempotency using brin (at);
