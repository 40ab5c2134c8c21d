-- Money: what is bought at Stripe and which credits came of it. Every row here follows from objects at Stripe and can be
-- made again from them; only apply-* functions write the copies.

-- Which Stripe account this database belongs to. Sandbox money and real money never share rows.
create table billing_settings (
  only_row boolean primary key default true check (only_row),
  mode text not null check (mode in ('sandbox', 'test', 'live')),
  synced_at timestamptz,                 -- of the catalogue
  portal_configuration_id text,
  portal_print text,                     -- of what the configuration offers
  events_until timestamptz               -- events created before this have been looked for
);

create table billing_customers (
  account_id bigint primary key references accounts (id),
  id text not null unique,
  mode text not null,
  created_at timestamptz not null default app_now()
);

-- What an account may have once, ever: 'free' the free plan, 'trial' a trial.
create table plan_redemptions (
  account_id bigint not null references accounts (id),
  kind text not null check (kind in ('free', 'trial')),
  source_id text not null,
  at timestamptz not null default app_now(),
  primary key (account_id, kind)
);

-- A card that has had a trial.
create table trial_cards (
  fingerprint text primary key,
  account_id bigint not null references accounts (id)
);

create table credit_packs (
  price_id text primary key,
  name text not null,
  price_cents bigint not null check (price_cents > 0),
  currency text not null,
  credits bigint not null check (credits > 0),
  active boolean not null
);

-- One attempt to buy a plan. The row is there before Stripe hears of it.
create table checkouts (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  price_id text not null references plans (price_id),
  trial boolean not null,
  session_id text unique,
  url text,
  status text not null default 'open' check (status in ('open', 'complete', 'expired')),
  expires_at timestamptz,
  checked_at timestamptz not null default app_now(),
  created_at timestamptz not null default app_now()
);
create unique index on checkouts (account_id) where status = 'open';

-- Lines of invoices for a plan: what a paid period consists of.
create table invoice_lines (
  id text primary key,
  invoice_id text not null references invoices (id),
  account_id bigint not null references accounts (id),
  subscription_id text,
  price_id text not null references plans (price_id),
  kind text not null check (kind in ('free', 'plan', 'trial', 'payg')),
  cents bigint not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  credits bigint not null check (credits >= 0),     -- of each month
  months int not null default 1 check (months > 0)  -- a paid year is granted month by month
);
create index on invoice_lines (invoice_id);
create index on invoice_lines (subscription_id, period_start);

create table topups (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  origin text not null check (origin in ('checkout', 'auto')),
  status text not null default 'open' check (status in ('open', 'paid', 'failed', 'expired')),
  cents bigint not null check (cents > 0),
  credits bigint not null check (credits > 0),
  request_id text,                        -- of the client: the same request never buys twice
  session_id text unique,
  url text,
  invoice_id text unique,
  payment_intent_id text,
  failure_code text,
  action_url text,                        -- where the customer can complete the payment
  created_at timestamptz not null default app_now(),
  closed_at timestamptz,
  unique (account_id, request_id)
);
create unique index on topups (account_id) where origin = 'auto' and status = 'open';

create table auto_topups (
  account_id bigint primary key references accounts (id),
  enabled boolean not null,
  threshold bigint not null check (threshold >= 0),
  packs int not null check (packs > 0),
  monthly_cap_cents bigint check (monthly_cap_cents > 0),
  failures int not null default 0,
  retry_at timestamptz,
  suspended_reason text                   -- null: not suspended
);

-- Money that went back, per charge: the credits that went with it, and those that were already spent.
create table reversals (
  charge_id text primary key,
  account_id bigint not null references accounts (id),
  payment_intent_id text not null,
  cents bigint not null,                  -- what the charge brought
  reversed_cents bigint not null,         -- refunded, or held by an open or lost dispute
  voided bigint not null default 0,
  spent bigint not null default 0
);

-- How a dispute of a charge stands. An outcome is final, whatever older news says later.
create table disputes (
  id text primary key,
  charge_id text not null,
  status text not null
);
create index on disputes (charge_id);

-- Pay-as-you-go units of closed hours on their way to Stripe's meter.
create table payg_hours (
  account_id bigint not null references accounts (id),
  hour timestamptz not null,
  units bigint not null check (units > 0),
  customer_id text not null,
  at timestamptz not null,                -- the moment that the meter event carries: within the period it belongs to
  sent_at timestamptz,
  primary key (account_id, hour)
);
create index on payg_hours (hour) where sent_at is null;

-- One usage period of pay-as-you-go and what was billed for it.
create table payg_invoices (
  invoice_id text primary key references invoices (id),
  account_id bigint not null references accounts (id),
  price_id text not null references plans (price_id),
  period_start timestamptz not null,
  period_end timestamptz not null,
  units bigint,                           -- null: not yet counted
  usage_cents bigint,
  minimum_cents bigint
);

create table stripe_events (
  id text primary key,
  type text not null,
  object_id text not null,
  customer_id text,                      -- events of one customer are applied one after another
  dispute jsonb,                         -- {chargeId, status}: of disputes the event itself tells the state
  created_at timestamptz not null,
  received_at timestamptz not null default app_now(),
  next_attempt_at timestamptz not null default app_now(),
  attempts int not null default 0,
  processed_at timestamptz,
  dead_at timestamptz,                    -- given up; an operator looks at it and replays it
  error text
);
create index on stripe_events (next_attempt_at) where processed_at is null and dead_at is null;

-- A usage alert that was raised: once per account, period and level.
create table usage_alerts (
  account_id bigint not null references accounts (id),
  period_start timestamptz not null,
  percent int not null,
  raised_at timestamptz not null default app_now(),
  primary key (account_id, period_start, percent)
);

-- Takes up to p_amount of what remains of one grant; answers how much it took. Repeating it takes more: callers keep count.
alter table credit_ledger drop constraint credit_ledger_kind_check;
alter table credit_ledger add constraint credit_ledger_kind_check check (kind in ('grant', 'debit', 'expiry', 'refund', 'void'));
create function credit_void(p_grant bigint, p_amount bigint) returns bigint language plpgsql as $$
declare
  g credit_grants;
  v_taken bigint;
begin
  select * into strict g from credit_grants where id = p_grant;
  perform 1 from credit_accounts where account_id = g.account_id for no key update;
  perform credit_settle(g.account_id, app_now());
  select * into strict g from credit_grants where id = p_grant for update;
  v_taken := least(g.remaining, p_amount);
  if v_taken <= 0 then return 0; end if;
  update credit_grants set remaining = remaining - v_taken, state = case when remaining = v_taken then 'closed' else state end where id = p_grant;
  insert into credit_ledger (account_id, grant_id, at, kind, delta) values (g.account_id, p_grant, app_now(), 'void', -v_taken);
  update credit_accounts set balance = balance - case when g.state = 'live' then v_taken else 0 end,
    due_at = coalesce((select min(case state when 'live' then expires_at else effective_at end)
      from credit_grants where account_id = g.account_id and state <> 'closed'), 'infinity')
  where account_id = g.account_id;
  perform pg_notify('credits_changed', g.account_id::text);
  return v_taken;
end $$;

-- The start of month n of a period that began at p_start, counted in UTC.
create function plan_month(p_start timestamptz, p_month int) returns timestamptz language sql immutable as $$
  select ((p_start at time zone 'UTC') + make_interval(months => p_month)) at time zone 'UTC'
$$;
