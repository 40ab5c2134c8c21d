-- needs: app_now
-- The plan catalog, subscriptions, and payments at Stripe with the credits they bring. Every copy of a Stripe object can be
-- rebuilt from Stripe; only apply-* functions write these copies.

-- The catalog as last published. Its writer computes the columns that rules read.
create table plans (
  price_id text primary key,
  product_id text not null,
  name text not null,
  description text not null,
  price_cents bigint not null check (price_cents >= 0),
  unit_amount_decimal text,
  currency text not null,
  interval text not null check (interval in ('month', 'year')),
  active boolean not null,
  features text[] not null,
  metadata jsonb not null,
  type text not null check (type in ('free', 'paid')),
  credits bigint not null check (credits >= 0),
  rate_limit_per_minute int not null check (rate_limit_per_minute > 0),
  position int not null,
  listed boolean not null default true               -- false: a listed plan's yearly price, or a price only old subscriptions use
);

-- source 'free': redeemed here, without a payment provider. source 'stripe': a copy of Stripe's subscription,
-- written only by apply-subscription. status is Stripe's, except that a trial counts as active.
create table subscriptions (
  id text primary key,
  account_id bigint not null references accounts (id),
  price_id text not null references plans (price_id),
  source text not null check (source in ('free', 'stripe')),
  status text not null,
  provider_status text,
  anchor_at timestamptz not null default app_now(),  -- periods are whole months from here
  current_period_start timestamptz not null,
  current_period_end timestamptz not null,
  trial_end timestamptz,
  cancels_at timestamptz,
  ended_at timestamptz,
  past_due_since timestamptz,
  pending_price_id text,                             -- takes effect at the end of the period
  check (current_period_end > current_period_start)
);
create index on subscriptions (account_id);
-- An account redeems the free plan only once, even if the subscription ends.
create unique index on subscriptions (account_id) where source = 'free';
create index on subscriptions (current_period_end) where source = 'free' and status = 'active';
create index on subscriptions (current_period_end) where status = 'active';

create table invoices (
  id text primary key,
  account_id bigint not null references accounts (id),
  number text,                                       -- null: a draft
  status text not null check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')),
  amount_cents bigint not null,
  paid_cents bigint not null default 0,
  subscription_id text,
  payment_intent_id text,
  topup_id bigint,
  created_at timestamptz not null
);
create index on invoices (account_id, created_at desc);
create index on invoices (payment_intent_id);

create table account_preferences (
  account_id bigint primary key references accounts (id),
  alert_threshold int not null default 90 check (alert_threshold between 0 and 100),
  spend_cap_cents bigint check (spend_cap_cents >= 0)
);

-- The Stripe account this database belongs to. Sandbox and live payments never share rows.
create table billing_settings (
  only_row boolean primary key default true check (only_row),
  mode text not null check (mode in ('sandbox', 'test', 'live')),
  synced_at timestamptz,                 -- of the catalog
  portal_configuration_id text,
  portal_print text,                     -- fingerprint of what the portal configuration offers
  events_until timestamptz               -- missed events created before this have been looked for
);

create table billing_customers (
  account_id bigint primary key references accounts (id),
  id text not null unique,
  mode text not null,
  created_at timestamptz not null default app_now()
);

-- What an account may have only once: 'free' the free plan, 'trial' a trial.
create table plan_redemptions (
  account_id bigint not null references accounts (id),
  kind text not null check (kind in ('free', 'trial')),
  source_id text not null,
  at timestamptz not null default app_now(),
  primary key (account_id, kind)
);

-- Cards that have had a trial.
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

-- One attempt to buy a plan. The row is written before the request to Stripe.
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

-- Lines of plan invoices: what a paid period consists of.
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
  request_id text,                        -- the client's: the same request never buys twice
  session_id text unique,
  url text,
  invoice_id text unique,
  payment_intent_id text,
  failure_code text,
  action_url text,                        -- where the customer can complete the payment
  created_at timestamptz not null default app_now(),
  closed_at timestamptz,
  phase text check (phase in ('processing', 'action')), -- of an open automatic top-up; null: the charge is being made
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
  suspended_reason text,                  -- null: not suspended
  suspended_card text                     -- the card that was declined: only a different one lifts the suspension
);

-- What was emailed about billing, so that nothing is emailed twice.
create table billing_notices (
  account_id bigint not null references accounts (id),
  kind text not null,
  ref text not null,
  at timestamptz not null default app_now(),
  primary key (account_id, kind, ref)
);

-- Refunds and disputes, per charge: the credits voided with them, and those that were already spent.
create table reversals (
  charge_id text primary key,
  account_id bigint not null references accounts (id),
  payment_intent_id text not null,
  cents bigint not null,                  -- the amount of the charge
  reversed_cents bigint not null,         -- refunded, or held by an open or lost dispute
  voided bigint not null default 0,
  spent bigint not null default 0,
  claimed bigint not null default 0,      -- of the spent credits, those that became a debt
  forgiven bigint not null default 0      -- of the claimed ones, those that a won dispute returned
);

-- The state of a charge's dispute. An outcome is final, even if an older event arrives later.
create table disputes (
  id text primary key,
  charge_id text not null,
  status text not null
);
create index on disputes (charge_id);

-- Pay-as-you-go units of closed hours to be sent to Stripe's meter.
create table payg_hours (
  account_id bigint not null references accounts (id),
  hour timestamptz not null,
  units bigint not null check (units > 0),
  customer_id text not null,
  at timestamptz not null,                -- the time of the meter event: within the period it belongs to
  sent_at timestamptz,
  primary key (account_id, hour)
);
create index on payg_hours (hour) where sent_at is null;

-- One pay-as-you-go period and what was billed for it.
create table payg_invoices (
  invoice_id text primary key references invoices (id),
  account_id bigint not null references accounts (id),
  price_id text not null references plans (price_id),
  period_start timestamptz not null,
  period_end timestamptz not null,
  units bigint,                           -- null: not yet counted
  usage_cents bigint,
  minimum_cents bigint,
  rest_invoice_id text                    -- bills the remainder when the period's invoice was final before its units were counted
);

create table stripe_events (
  id text primary key,
  type text not null,
  object_id text not null,
  customer_id text,                       -- events of one customer are applied one after another
  dispute jsonb,                          -- {chargeId, status}: for disputes, the event itself carries the state
  created_at timestamptz not null,
  received_at timestamptz not null default app_now(),
  next_attempt_at timestamptz not null default app_now(),
  attempts int not null default 0,
  processed_at timestamptz,
  dead_at timestamptz,                    -- given up; an operator inspects and replays it
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

-- Where an account's alerts are posted. The signing secret is derived from the salt and never stored.
create table alert_webhooks (
  account_id bigint primary key references accounts (id),
  url text not null,
  salt text not null
);

create table alert_deliveries (
  id uuid primary key,
  account_id bigint not null references accounts (id),
  body text not null,
  attempts int not null default 0,
  next_attempt_at timestamptz not null default app_now(),
  done_at timestamptz,                    -- delivered, or given up
  error text
);
create index on alert_deliveries (next_attempt_at) where done_at is null;
