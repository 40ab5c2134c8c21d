-- Where an account wants its alerts posted. The signing secret is derived from the salt and never stored.
create table alert_webhooks (
  account_id bigint primary key references accounts (id),
  url text not null,
  salt text not null
);

create table alert_deliveries (
  id uuid primary key,
  account_id bigint not null references accounts (id),
  body text not null,
  attempts int not null default 0,
  next_attempt_at timestamptz not null default app_now(),
  done_at timestamptz,                    -- delivered, or given up
  error text
);
create index on alert_deliveries (next_attempt_at) where done_at is null;
