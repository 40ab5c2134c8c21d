-- Accounts and the people in them. Times in rules come from app_now(), never from now().

-- One row at most, set only by tests: moves every clock of the product at once.
create table app_clock (
  only_row boolean primary key default true check (only_row),
  offset_by interval not null
);

create function app_now() returns timestamptz language sql volatile
  as $$ select clock_timestamp() + coalesce((select offset_by from app_clock), interval '0') $$;

-- A person, known by the `sub` of the access token. No reference into the auth tables: they may live elsewhere.
create table profiles (
  user_id uuid primary key,
  email text not null default '',
  full_name text,
  avatar_url text,
  created_at timestamptz not null default app_now()
);

-- A workspace: it owns keys, credits and subscriptions.
create table accounts (
  id bigint generated always as identity primary key,
  public_id uuid not null unique default gen_random_uuid(),
  name text not null,
  personal_of uuid unique references profiles (user_id),
  rate_limit_per_minute int check (rate_limit_per_minute >= 0), -- null: the plan's
  suspended_at timestamptz,
  created_at timestamptz not null default app_now()
);

create table account_members (
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null default app_now(),
  primary key (account_id, user_id)
);
create index on account_members (user_id);

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default app_now(),
  account_id bigint,
  actor text not null,        -- user:<uuid>, key:<uuid>, system:<name>
  action text not null,       -- key.created, key.revealed, ...
  target text,
  detail jsonb not null default '{}'
);
create index on audit_log (account_id, id desc);
