-- Sign-in by mail and telephone, second factors, linking, and what goes with them.

alter table auth.users
  add column invited_at timestamptz,
  add column confirmation_sent_at timestamptz,
  add column recovery_sent_at timestamptz,
  add column new_email text check (new_email = lower(new_email) and new_email <> ''),
  add column email_change_sent_at timestamptz,
  -- The old address and the new one both have to agree: which of them has.
  add column email_change_confirmed text check (email_change_confirmed in ('current', 'new')),
  add column new_phone text check (new_phone <> ''),
  add column phone_change_sent_at timestamptz,
  add column reauthentication_sent_at timestamptz,
  add column deleted_at timestamptz;

-- A code or link that somebody was sent. One of each purpose at a time; a new one replaces the old.
create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  purpose text not null check (purpose in ('confirmation', 'recovery', 'email_change_current', 'email_change_new',
    'reauthentication', 'phone_confirmation', 'phone_change')),
  relates_to text not null,                 -- the address or number that it was sent to
  code_hash bytea not null,                 -- keyed, since six digits can be tried out
  code_expires_at timestamptz not null,
  attempts int not null default 0,
  link_hash bytea unique,                   -- of 256 random bits; null where no link was sent
  link_expires_at timestamptz not null,
  code_challenge text,                      -- the link then gives a code that only the asking client can redeem
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  -- How the session is named in `amr` when the link leads to a code.
  method text not null,
  -- Redeeming clears what whoever registered the address left behind: somebody else asked for this token.
  clears_unproven boolean not null default false,
  created_at timestamptz not null default app_now(),
  unique (user_id, purpose)
);

-- How often codes were asked for an address, known to us or not, so that the answer tells nothing about it.
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

-- A flow may also begin with a mail, and without PKCE where AUTH_IMPLICIT allows it.
alter table auth.flow_states
  alter column code_challenge drop not null,
  alter column code_challenge_method drop not null,
  alter column provider_secrets drop not null,
  add column method text not null default 'oauth';

-- Refresh tokens from before a second factor are worth nothing, and no sign of theft.
alter table auth.sessions add column superseded_below bigint not null default 0;

-- Which factor proved it; deleting the factor takes the proof back.
alter table auth.session_methods add column factor_id uuid;
