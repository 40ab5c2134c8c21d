-- needs: app_now, alert_below, latency_bucket, refuse_change
-- Buckets: schemas that hold the metering tables of their accounts (docs/decisions/0092-buckets.md). Their own migrations are
-- in server/db/migrations/bucket. server/db/take-into-bucket.ts moves the metering tables of an earlier database into m00.
create table buckets (
  id smallint primary key check (id >= 0),         -- its schema: m and the number, in two digits at least
  created_at timestamptz not null default clock_timestamp()
);

-- The migrations that a bucket has. A bucket without all of them is not complete yet.
create table bucket_migrations (
  bucket smallint not null references buckets (id),
  name text not null,
  applied_at timestamptz not null default clock_timestamp(),
  primary key (bucket, name)
);

-- Chosen when the account is created. There is no foreign key, so that nothing waits for a bucket that is being made.
alter table accounts add column bucket smallint not null default 0;
