-- Moves of accounts from bucket to bucket (server/features/operator/move-account.ts), kept as a record.
create table bucket_moves (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id),
  from_bucket smallint not null references buckets (id),
  to_bucket smallint not null references buckets (id),
  started_at timestamptz not null default clock_timestamp(),
  copied_until timestamptz not null default '-infinity', -- calls before this time are in the new bucket
  ledger_until bigint not null default 0,          -- and so are the lines of the ledger up to this one of the old bucket
  switched_at timestamptz,                         -- from here on the account is in the new bucket
  done_at timestamptz,                             -- nothing of the account is left in the old one
  check (from_bucket <> to_bucket)
);
create unique index one_move_at_a_time on bucket_moves (account_id) where done_at is null;
create index on bucket_moves (switched_at);
