-- needs: app_now
-- Sign-in: users, their identities at providers, sessions, and the flows between them.
-- Nothing outside this schema refers to it, so another auth service can replace it.

create schema auth;

-- Keys that sign access tokens, encrypted. Every row is published; the newest one already in force signs.
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
  updated_at timestamptz not null default app_now(),
  invited_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  new_email text check (new_email = lower(new_email) and new_email <> ''),
  email_change_sent_at timestamptz,
  -- Both the old and the new address must confirm a change: which one already has.
  email_change_confirmed text check (email_change_confirmed in ('current', 'new')),
  new_phone text check (new_phone <> ''),
  phone_change_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  deleted_at timestamptz
);
create unique index on auth.users (email);
create unique index on auth.users (phone);

-- `provider_id` is the provider's permanent id of the user; names and addresses may change.
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

-- A refresh token is `refresh_counter` signed with `refresh_key` (encrypted): no token is stored.
create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  aal text not null default 'aal1' check (aal in ('aal1', 'aal2')),
  refresh_key bytea not null,
  refresh_counter bigint not null default 0,
  refreshed_at timestamptz not null default app_now(),
  user_agent text,
  ip inet,
  created_at timestamptz not null default app_now(),
  superseded_below bigint not null default 0 -- lower counters were issued before a second factor: invalid, but no sign of theft
);
create index on auth.sessions (user_id);

-- How the user proved their identity, for the `amr` claim.
create table auth.session_methods (
  session_id uuid not null references auth.sessions (id) on delete cascade,
  method text not null,
  at timestamptz not null default app_now(),
  factor_id uuid,                           -- the second factor used; deleting the factor deletes the proof
  primary key (session_id, method)
);

-- One sign-in at a provider, from /authorize (id = state) until its code is redeemed, which deletes the row.
-- A flow may also start with an email, and without PKCE where AUTH_IMPLICIT allows it.
create table auth.flow_states (
  id uuid primary key default gen_random_uuid(),
  provider text not null,
  redirect_to text not null,                -- validated before it was stored; never read from a request again
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  linking_user_id uuid references auth.users (id) on delete cascade,
  cookie_hash bytea,                        -- of the cookie in the browser that started the flow
  provider_secrets bytea,                   -- encrypted: PKCE verifier and nonce sent to the provider
  consumed_at timestamptz,                  -- when the provider answered
  code_hash bytea unique,                   -- of the one-time code given to the client
  user_id uuid references auth.users (id) on delete cascade,
  outcome bytea,                            -- encrypted: the provider's tokens and, when linking, its profile
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  method text not null default 'oauth'
);
create index on auth.flow_states (created_at);

-- A code or link that was sent to a user. One per purpose at a time; a new one replaces the old one.
create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  purpose text not null check (purpose in ('confirmation', 'recovery', 'email_change_current', 'email_change_new',
    'reauthentication', 'phone_confirmation', 'phone_change')),
  relates_to text not null,                 -- the address or number it was sent to
  code_hash bytea not null,                 -- keyed, because six digits can be guessed
  code_expires_at timestamptz not null,
  attempts int not null default 0,
  link_hash bytea unique,                   -- of 256 random bits; null: no link was sent
  link_expires_at timestamptz not null,
  code_challenge text,                      -- the link then yields a code that only the requesting client can redeem
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  -- The session's `amr` entry when the link leads to a code.
  method text not null,
  -- Redeeming clears what an earlier, unproven registration of the address left: someone else requested this token.
  clears_unproven boolean not null default false,
  created_at timestamptz not null default app_now(),
  unique (user_id, purpose)
);

-- How often codes were requested for an address, known or not, so that the answer reveals nothing about it.
create table auth.code_requests (
  address_hash bytea not null,
  purpose text not null,
  sent_at timestamptz not null,
  hour_began_at timestamptz not null,
  sent_in_hour int not null,
  primary key (address_hash, purpose)
);
create index on auth.code_requests (sent_at);

create table auth.mfa_factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  factor_type text not null check (factor_type in ('totp', 'phone')),
  friendly_name text not null default '',
  status text not null default 'unverified' check (status in ('unverified', 'verified')),
  secret bytea,                             -- encrypted; totp only
  phone text check (phone <> ''),
  last_step bigint not null default 0,      -- of the last accepted code: none is accepted twice
  failures int not null default 0,          -- since the last success
  locked_until timestamptz,
  last_challenged_at timestamptz,
  created_at timestamptz not null default app_now(),
  updated_at timestamptz not null default app_now(),
  unique (user_id, friendly_name)
);

create table auth.mfa_challenges (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  code_hash bytea,                          -- phone only
  attempts int not null default 0,
  verified_at timestamptz,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null
);
create index on auth.mfa_challenges (factor_id);
