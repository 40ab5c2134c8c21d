-- API keys, the plan catalogue, subscriptions, invoices, preferences.

comment on column accounts.rate_limit_per_minute is 'Requests per minute; null: the limit of the plan in force; 0: no limit.';

create table api_keys (
  id bigint generated always as identity primary key,
  public_id uuid not null unique,
  account_id bigint not null references accounts (id),
  name text not null check (char_length(name) between 1 and 200),
  hash bytea not null unique check (octet_length(hash) = 32),  -- SHA-256 of the whole key
  ciphertext bytea,           -- the key for showing it again; null: it was shown once only, or it is deleted
  start text not null,        -- its first 8 characters
  scopes text[],              -- rest, mcp; null: all
  created_by uuid references profiles (user_id),
  created_at timestamptz not null default app_now(),
  expires_at timestamptz,
  deleted_at timestamptz      -- the row stays: usage keeps the key's name
);
create index on api_keys (account_id) where deleted_at is null;

-- The catalogue as it was last published; columns that rules read are worked out by whoever writes.
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
  listed boolean not null default true   -- false: the yearly price of a listed plan, or a price that only old subscriptions stand on
);

-- source 'free': redeemed here, where no payment provider is set up. source 'stripe': a copy of the subscription there,
-- written only by apply-subscription. status is Stripe's word, except that a trial counts as active.
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
  pending_price_id text,                             -- takes over at the end of the period
  check (current_period_end > current_period_start)
);
create index on subscriptions (account_id);
-- An account redeems the free plan once, whatever becomes of the subscription later.
create unique index on subscriptions (account_id) where source = 'free';
create index on subscriptions (current_period_end) where source = 'free' and status = 'active';

-- Whether a subscription gives its plan's rights: a late payment is borne for seven days.
create function subscription_in_force(p_status text, p_past_due_since timestamptz) returns boolean language sql volatile as $$
  select p_status = 'active' or (p_status = 'past_due' and coalesce(p_past_due_since, app_now()) > app_now() - interval '7 days')
$$;

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

-- What a running server keeps in memory about keys is told by the change itself, in its own transaction, so that no
-- writer can forget it.
create function notify_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('key_changed', old.id::text);
  return null;
end $$;
create trigger key_changed after update or delete on api_keys for each row execute function notify_key_changed();

create function notify_account_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_changed', new.id::text);
  return null;
end $$;
create trigger account_changed after update of rate_limit_per_minute, suspended_at on accounts
  for each row execute function notify_account_changed();

create function notify_subscriber_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_changed', new.account_id::text);
  return null;
end $$;
create trigger account_changed after insert or update on subscriptions
  for each row execute function notify_subscriber_changed();

-- The period of a monthly plan that holds p_at. Counted in UTC from the anchor each time, so that a plan of 31 January
-- ends on the last day of February and again on 31 March.
create function plan_period(p_anchor timestamptz, p_at timestamptz, out period_start timestamptz, out period_end timestamptz)
language plpgsql stable as $$
declare
  v_anchor timestamp := p_anchor at time zone 'UTC';
  v_at timestamp := p_at at time zone 'UTC';
  n int := (extract(year from v_at) - extract(year from v_anchor)) * 12 + extract(month from v_at) - extract(month from v_anchor);
begin
  if v_anchor + make_interval(months => n) > v_at then n := n - 1; end if;
  period_start := (v_anchor + make_interval(months => n)) at time zone 'UTC';
  period_end := (v_anchor + make_interval(months => n + 1)) at time zone 'UTC';
end $$;

-- Requests per minute of an account: its own limit, else the most generous of its plans in force, else that of the free
-- plan. Null: no limit.
create function account_rate_limit(p_account bigint) returns int language sql volatile as $$
  select nullif(coalesce(
    (select rate_limit_per_minute from accounts where id = p_account),
    (select max(p.rate_limit_per_minute) from subscriptions s join plans p using (price_id)
     where s.account_id = p_account and subscription_in_force(s.status, s.past_due_since)),
    120), 0)
$$;
