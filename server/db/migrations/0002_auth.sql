-- Sign-in: people, their identities at providers, sessions, and the flows between them.
-- Nothing outside this schema refers into it, so that another auth service can take its place.

create schema auth;

-- Keys that sign access tokens, encrypted. Every row is published; the newest that has come into force signs.
create table auth.signing_keys (
  kid text primary key,
  private_jwk bytea not null,
  created_at timestamptz not null default app_now(),
  signs_from timestamptz not null default app_now()
);

create table auth.users (
  id uuid primary key default gen_random_uuid(),
  role text not null default 'authenticated',
  email text check (email = lower(email) and email <> ''), -- null: none
  email_confirmed_at timestamptz,
  phone text check (phone <> ''),
  phone_confirmed_at timestamptz,
  password_hash text,
  app_metadata jsonb not null default '{}',
  user_metadata jsonb not null default '{}',
  is_anonymous boolean not null default false,
  banned_until timestamptz,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now()
);
create unique index on auth.users (email);
create unique index on auth.users (phone);

-- `provider_id` is the provider's own, never-changing id of the person; names and addresses may change.
create table auth.identities (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null,
  email text generated always as (lower(identity_data ->> 'email')) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  unique (provider, provider_id)
);
create index on auth.identities (user_id);
create index on auth.identities (email);

-- A refresh token is `refresh_counter` signed with `refresh_key` (encrypted): no token is stored anywhere.
create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  aal text not null default 'aal1' check (aal in ('aal1', 'aal2')),
  refresh_key bytea not null,
  refresh_counter bigint not null default 0,
  refreshed_at timestamptz not null default app_now(),
  user_agent text,
  ip inet,
  created_at timestamptz not null default app_now()
);
create index on auth.sessions (user_id);

-- How the person proved who they are, for the `amr` claim.
create table auth.session_methods (
  session_id uuid not null references auth.sessions (id) on delete cascade,
  method text not null,
  at timestamptz not null default app_now(),
  primary key (session_id, method)
);

-- One sign-in at a provider, from /authorize (id = state) to the redemption of its code, which deletes the row.
create table auth.flow_states (
  id uuid primary key default gen_random_uuid(),
  provider text not null,
  redirect_to text not null,                -- validated before it was stored; never read from a request again
  code_challenge text not null,
  code_challenge_method text not null check (code_challenge_method in ('s256', 'plain')),
  linking_user_id uuid references auth.users (id) on delete cascade,
  cookie_hash bytea,                        -- of the cookie that the starting browser holds
  provider_secrets bytea not null,          -- encrypted: PKCE verifier and nonce towards the provider
  consumed_at timestamptz,                  -- when the provider's answer came
  code_hash bytea unique,                   -- of the one-time code handed to the client
  user_id uuid references auth.users (id) on delete cascade,
  outcome bytea,                            -- encrypted: the provider's tokens and, when linking, its profile
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null
);
create index on auth.flow_states (created_at);
