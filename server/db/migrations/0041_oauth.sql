-- OAuth 2.1 for MCP clients. A grant is an API key of its own: deleting the key ends the grant.

create table oauth_clients (
  id text primary key,
  name text not null check (char_length(name) between 1 and 200),
  redirect_uris text[] not null,
  created_at timestamptz not null default app_now()
);

-- What a client asked for, until the person has decided.
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

create table oauth_grants (
  id uuid primary key,
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  key_id bigint not null unique references api_keys (id),
  client_id text not null,
  scope text not null,
  created_at timestamptz not null default app_now()
);

-- Codes and tokens, by the SHA-256 of what the client holds. A used one stays until it would have expired, so that a
-- second use is known for what it is.
create table oauth_credentials (
  hash bytea primary key,
  grant_id uuid not null references oauth_grants (id),
  kind text not null check (kind in ('code', 'access', 'refresh')),
  resource text not null,        -- the audience
  redirect_uri text,             -- of codes
  code_challenge text,           -- of codes
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on oauth_credentials (expires_at);
create index on oauth_credentials (grant_id);
