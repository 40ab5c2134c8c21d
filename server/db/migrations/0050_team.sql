-- Teams: invitations, one owner for each workspace.

create unique index account_members_one_owner on account_members (account_id) where role = 'owner';

-- The link's token is worked out from id and sends by a secret of the installation: no token is stored, and sending
-- again ends the link before.
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
  closed_at timestamptz      -- accepted or revoked
);
create unique index on account_invitations (account_id, email) where closed_at is null;
