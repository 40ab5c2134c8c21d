-- needs: app_now
-- Balances that agents buy, each an account without people (docs/agent-payments.md).

-- A payment buys one call, or a balance. A balance has no usage row, so no receipt of one.
alter table agent_payments add column product text not null default 'call' check (product in ('call', 'balance'));
alter table agent_payments drop constraint charged_with_receipt;
alter table agent_payments add constraint charged_with_receipt
  check (state <> 'settled' or reference is not null and (product = 'balance' or receipt_id is not null));

create table agent_balances (
  account_id bigint primary key references accounts (id),
  payment_id bigint not null unique references agent_payments (id),
  key_id bigint not null references api_keys (id),  -- the agent's own
  links int not null default 1,                     -- links to claim it, so far: only the newest works
  link_until timestamptz not null,
  claimed_at timestamptz,                           -- since then a person owns it
  empty_since timestamptz,                          -- as the daily job saw it
  closed_at timestamptz,
  created_at timestamptz not null default app_now()
);
create index on agent_balances (account_id) where claimed_at is null and closed_at is null;
