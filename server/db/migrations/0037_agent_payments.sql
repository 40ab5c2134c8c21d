-- needs: app_now
-- Payments of agents that have no account (docs/agent-payments.md).

-- Accounts without people, in which the calls of one payer are recorded.
create table agent_accounts (
  account_id bigint primary key references accounts (id),
  supplier text not null,
  payer text not null,
  created_at timestamptz not null default app_now(),
  unique (supplier, payer)
);

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
  pay_to text not null,
  credits bigint not null check (credits > 0),
  micro_usd bigint not null check (micro_usd > 0),
  atomic text not null check (atomic ~ '^[1-9][0-9]{0,77}$'),
  state text not null default 'claimed' check (state in ('claimed', 'settling', 'settled', 'failed', 'unknown', 'released')),
  attempt int not null default 1,                    -- grows with each claim: a process that lost its claim settles nothing
  account_id bigint not null references accounts (id),
  call jsonb,                                        -- the call to charge once the payment has settled
  reference text,                                    -- the transaction
  reason text,                                       -- why it failed, or is unknown
  receipt_id text,
  repeats int not null default 0,                    -- answers that were given again
  valid_before timestamptz not null,
  claimed_at timestamptz not null default app_now(),
  claimed_until timestamptz not null,
  settling_at timestamptz,
  decided_at timestamptz,
  looked_at timestamptz,
  unique (supplier, network, asset, payer, nonce),
  constraint charged_with_receipt check (state <> 'settled' or reference is not null and receipt_id is not null)
);
create index on agent_payments (claimed_at);
create index on agent_payments (supplier, payer, wish) where wish is not null;
create index on agent_payments (id) where state in ('claimed', 'settling', 'unknown');
create index on agent_payments (account_id, id);
