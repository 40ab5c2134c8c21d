-- needs: app_now
-- People who run the installation, by the email address with which they sign in. The first entrance binds a row to the
-- user: from then on the address alone opens nothing.
create table operators (
  id bigint generated always as identity primary key,
  email text not null unique check (email = lower(email) and email <> ''),
  user_id uuid unique,
  role text not null check (role in ('owner', 'support', 'finance', 'viewer')),
  added_by text not null,
  added_at timestamptz not null default app_now()
);

-- A session of the console: apart from the sign-in, which it needs, and which cannot act here by itself.
create table operator_sessions (
  hash bytea primary key,                   -- SHA-256 of the cookie
  operator_id bigint not null references operators (id) on delete cascade,
  auth_session uuid,                        -- the sign-in that opened it and ends it; null: another auth service keeps sign-ins
  proved_at timestamptz,                    -- the last proof of a second factor; null: none, so it may only read
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null
);
create index on operator_sessions (operator_id);
create index on operator_sessions (expires_at);

-- What operators did, from the console and from the command line. It outlives the accounts that it names.
create table operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default app_now(),
  operator text not null,                   -- the email address, or `command line`
  action text not null,                     -- credits.granted, plan.set, ...
  act_id uuid not null unique default gen_random_uuid(),  -- chosen by the client: a repeated request is one act
  account_id uuid,                          -- public id
  account_name text,
  target text,                              -- public id of what was changed, if not the account
  reason text not null,
  credits bigint not null default 0,        -- granted or taken back, for the limit of a day
  cents bigint not null default 0,          -- refunded, for the limit of a day
  before jsonb,
  after jsonb
);
create index on operator_log (account_id, id desc) where account_id is not null;
create index on operator_log (operator, at desc);
