-- needs: app_now
-- Users, their accounts, API keys and OAuth grants, the audit log, exports and outgoing mail.

-- A user, known by the `sub` of the access token. No reference to the auth tables: they may live elsewhere.
-- A deleted user keeps an empty row, because bookkeeping refers to it.
create table profiles (
  user_id uuid primary key,
  email text not null default '',
  full_name text,
  avatar_url text,
  created_at timestamptz not null default app_now(),
  deletion_requested_at timestamptz,
  deletion_due_at timestamptz,
  deleted_at timestamptz,
  constraint deletion_has_a_day check ((deletion_requested_at is null) = (deletion_due_at is null))
);
create index on profiles (deletion_due_at) where deletion_due_at is not null and deleted_at is null;

-- A workspace: it owns keys, credits and subscriptions.
create table accounts (
  id bigint generated always as identity primary key,
  public_id uuid not null unique default gen_random_uuid(),
  name text not null,
  personal_of uuid unique references profiles (user_id),
  rate_limit_per_minute int check (rate_limit_per_minute >= 0),
  suspended_at timestamptz,
  created_at timestamptz not null default app_now()
);
comment on column accounts.rate_limit_per_minute is 'Requests per minute; null: the limit of the plan in force; 0: no limit.';

create table account_members (
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null default app_now(),
  primary key (account_id, user_id)
);
create index on account_members (user_id);
create unique index account_members_one_owner on account_members (account_id) where role = 'owner';

-- The token in the link is derived from `id`, `sends` and a secret of the installation: no token is stored, and sending
-- again invalidates the previous link.
create table account_invitations (
  id bigint generated always as identity primary key,
  public_id uuid not null unique default gen_random_uuid(),
  account_id bigint not null references accounts (id),
  email text not null check (email = lower(email) and email <> ''),
  role text not null check (role in ('admin', 'member')),
  invited_by uuid references profiles (user_id),
  sends int not null default 1,
  created_at timestamptz not null default app_now(),
  sent_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  closed_at timestamptz                     -- accepted or revoked
);
create unique index on account_invitations (account_id, email) where closed_at is null;

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default app_now(),
  account_id bigint,                        -- null: the entry belongs to a user, such as a sign-in
  actor text not null,                      -- user:<uuid>, key:<uuid>, system:<name>
  action text not null,                     -- key.created, key.revealed, ...
  target text,
  detail jsonb not null default '{}',
  subject uuid                              -- the user whose access someone else changed; null: the actor's own
);
create index on audit_log (account_id, id desc);
create index on audit_log (actor, id desc) where account_id is null;
create index on audit_log (subject, id desc) where subject is not null;
-- Whether a session was notified of the same keys a short time ago.
create index on audit_log (account_id, id desc) where action in ('key.created', 'key.rotated', 'key.revealed');

create table api_keys (
  id bigint generated always as identity primary key,
  public_id uuid not null unique,
  account_id bigint not null references accounts (id),
  name text not null check (char_length(name) between 1 and 200),
  hash bytea not null unique check (octet_length(hash) = 32),  -- SHA-256 of the whole key
  ciphertext bytea,                         -- the key, to show it again; null: it was shown only once, or it is deleted
  start text not null,                      -- its first 8 characters
  scopes text[],                            -- rest, mcp; null: all
  created_by uuid references profiles (user_id),
  created_at timestamptz not null default app_now(),
  expires_at timestamptz,
  deleted_at timestamptz,                   -- the row stays: usage needs the key's name
  rate_limit_per_minute int check (rate_limit_per_minute > 0),                    -- null: only the account's limit
  allowed_networks cidr[] check (cardinality(allowed_networks) > 0),              -- null: every address
  previous_hash bytea unique check (octet_length(previous_hash) = 32),            -- of the value before a rotation
  previous_until timestamptz,                                                     -- until then it is still accepted
  constraint previous_whole check ((previous_hash is null) = (previous_until is null))
);
create index on api_keys (account_id) where deleted_at is null;

-- The last use of each key. Apart from api_keys, because every change there notifies all servers. Written now and then,
-- not on every call.
create table key_last_use (
  key_id bigint primary key references api_keys (id),
  at timestamptz not null,
  address inet not null,
  client text not null
) with (fillfactor = 70);

-- OAuth 2.1 for MCP clients.
create table oauth_clients (
  id text primary key,
  name text not null check (char_length(name) between 1 and 200),
  redirect_uris text[] not null,
  created_at timestamptz not null default app_now()
);

-- What a client requested, until the user decides.
create table oauth_requests (
  id uuid primary key,
  client_id text not null,
  client_name text not null,
  redirect_uri text not null,
  code_challenge text not null,
  state text,
  scope text not null,
  resource text not null,
  expires_at timestamptz not null
);
create index on oauth_requests (expires_at);

-- Each grant has an API key: deleting the key ends the grant.
create table oauth_grants (
  id uuid primary key,
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  key_id bigint not null unique references api_keys (id),
  client_id text not null,
  scope text not null,
  created_at timestamptz not null default app_now()
);

-- Codes and tokens, by the SHA-256 of the client's copy. A used one is kept until its expiry, to detect a second use.
create table oauth_credentials (
  hash bytea primary key,
  grant_id uuid not null references oauth_grants (id),
  kind text not null check (kind in ('code', 'access', 'refresh')),
  resource text not null,                   -- the audience
  redirect_uri text,                        -- codes only
  code_challenge text,                      -- codes only
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on oauth_credentials (expires_at);
create index on oauth_credentials (grant_id);

-- Copies of everything stored about a user, made on request.
create table data_exports (
  id bigint generated always as identity primary key,
  public_id uuid not null unique default gen_random_uuid(),
  user_id uuid not null references profiles (user_id),
  status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
  attempts int not null default 0,
  started_at timestamptz,                   -- of the last attempt: after a crash another one starts some minutes later
  requested_at timestamptz not null default app_now(),
  ready_at timestamptz,
  expires_at timestamptz,
  bytes bigint
);
create unique index on data_exports (user_id) where status = 'pending';
create index on data_exports (user_id, id desc);

-- The zip file in parts, so that it is never in memory whole.
create table data_export_parts (
  export_id bigint not null references data_exports (id) on delete cascade,
  n int not null,
  data bytea not null,
  primary key (export_id, n)
);

-- Mail to be sent. A row is written in the transaction that causes it and deleted when the mail server has accepted it:
-- a rolled-back transaction sends nothing, and a crash loses nothing.
create table mail_outbox (
  id uuid primary key,                      -- also the Message-ID, so that a repeated delivery can be recognized
  message bytea not null,                   -- encrypted: it may contain sign-in codes
  attempts int not null default 0,
  next_attempt_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  created_at timestamptz not null default app_now()
);
create index on mail_outbox (next_attempt_at);
