-- needs: app_now
-- Payments of agents that have no account (docs/agent-payments.md).

-- Accounts that a payment opened, without people. `calls`: the one account under which a payer's single calls are charged.
-- `balance`: bought credits with a key, one account for each purchase.
create table agent_accounts (
  account_id bigint primary key references accounts (id),
  supplier text not null,
  payer text not null,                               -- who paid first; of calls, the only one
  purpose text not null check (purpose in ('calls', 'balance')),
  created_at timestamptz not null default app_now(),
  claim_hash bytea unique check (octet_length(claim_hash) = 32), -- SHA-256 of the code of the link that gives a balance to a person
  claim_until timestamptz,
  claimed_by uuid references profiles (user_id),
  claimed_at timestamptz,
  closed_at timestamptz,
  constraint claim_has_a_time check ((claim_hash is null) = (claim_until is null))
);
create unique index on agent_accounts (supplier, payer) where purpose = 'calls';
create index on agent_accounts (created_at) where purpose = 'balance' and claimed_at is null and closed_at is null;

-- One row for each signed authorization, written before its work begins: its unique key is what makes a payment count once.
-- claimed -> settling -> settled | failed | unknown; claimed -> released -> claimed; unknown -> settled | failed.
-- Neither signatures nor tokens are stored, only their hashes.
create table agent_payments (
  id bigint generated always as identity primary key,
  public_id uuid not null unique default gen_random_uuid(),
  supplier text not null,
  network text not null,
  asset text not null,
  payer text not null,
  nonce text not null,
  credential_hash text not null,
  request_hash text not null,
  wish text,                                         -- hash of the client's idempotency key
  product text not null check (product in ('call', 'balance')),
  pay_to text not null,
  credits bigint not null check (credits > 0),
  micro_usd bigint not null check (micro_usd > 0),
  atomic text not null check (atomic ~ '^[1-9][0-9]{0,77}$'),
  state text not null default 'claimed' check (state in ('claimed', 'settling', 'settled', 'failed', 'unknown', 'released')),
  attempt int not null default 1,                    -- grows with each claim: a process that lost its claim settles nothing
  account_id bigint references accounts (id),        -- null: a balance whose account is opened when it is paid
  call jsonb,                                        -- the call to charge once the payment has settled
  reference text,                                    -- the transaction
  reason text,                                       -- why it failed, or is unknown
  receipt_id text,
  repeats int not null default 0,                    -- answers that were given again
  key_id bigint references api_keys (id),            -- of a balance: the key that its answer had
  valid_before timestamptz not null,
  claimed_at timestamptz not null default app_now(),
  claimed_until timestamptz not null,
  settling_at timestamptz,
  decided_at timestamptz,
  looked_at timestamptz,
  unique (supplier, network, asset, payer, nonce),
  constraint charged_with_receipt check (state <> 'settled' or reference is not null and account_id is not null)
);
create index on agent_payments (claimed_at);
create index on agent_payments (supplier, payer, wish) where wish is not null;
create index on agent_payments (id) where state in ('claimed', 'settling', 'unknown');
create index on agent_payments (account_id, id);
