-- Answers of upstream operations that are not repeatable: a retry with the same Idempotency-Key gets the first one again.
create table kept_answers (
  account_id bigint not null references accounts (id),
  -- The digest of the client's key, as in the table idempotency.
  key uuid not null,
  request_hash text not null,
  at timestamptz not null default app_now(),
  -- Null: the call is under way, at most until claimed_until.
  answer bytea,
  claimed_until timestamptz not null,
  primary key (account_id, key)
);
create index on kept_answers (at);

-- The receipt that a stream sends with its headers, and the call that was recorded when it ended.
create table stream_receipts (
  id uuid primary key,
  account_id bigint not null references accounts (id),
  receipt_id text not null,
  at timestamptz not null default app_now()
);
create index on stream_receipts (account_id);
create index on stream_receipts (at);
