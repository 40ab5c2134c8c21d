-- needs: app_now
-- What operators noted about an account. It is data about a person: it is exported and erased with the account.
create table account_notes (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  at timestamptz not null default app_now(),
  operator text not null,                   -- the email address, or `command line`
  note text not null check (note <> '')
);
create index on account_notes (account_id, id desc);

-- Refunds that operators asked for. A row is there before the payment provider is asked, so that a crash loses none.
create table refunds (
  act_id uuid primary key,                  -- the idempotency key at the payment provider, and the act in operator_log
  account_id bigint not null references accounts (id),
  invoice_id text not null references invoices (id),
  operator text not null,
  cents bigint not null check (cents > 0),
  -- unsent: the provider has not answered yet; pending: the money is under way; succeeded and failed are final.
  state text not null default 'unsent' check (state in ('unsent', 'pending', 'succeeded', 'failed')),
  provider_id text unique,
  error text,                               -- why it failed, or why it was not sent, in the provider's words
  created_at timestamptz not null default app_now(),
  changed_at timestamptz not null default app_now()
);
create index on refunds (account_id, created_at desc);
create index on refunds (invoice_id);

-- "View as": an operator sees a customer's dashboard, read only, for fifteen minutes.
create table support_views (
  hash bytea primary key,                   -- SHA-256 of the token
  operator_id bigint references operators (id) on delete set null,  -- null: removed since, which ends the view
  account_id bigint not null references accounts (id),
  user_id uuid not null,                    -- the owner of the account, whose pages are shown
  started_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  ended_at timestamptz                      -- its end is in the audit log
);
create index on support_views (account_id);
create index on support_views (expires_at) where ended_at is null;
