-- Sums of usage_events, shaped by how they are read. Each commit writes one pending row; usage_fold adds pending rows to the
-- open hour once a second; usage_roll moves closed hours into sums by hour and day and into histograms. So a fold touches
-- one row per key and latency bucket, and a chart of 90 days reads one row per key and day.
-- Refusals (400 to 429) are counted too, by counters that servers flush: kill -9 may lose a second of them.
-- The protocol: server/features/metering/README.md; the buckets: server/features/metering/latency.ts.

-- For the last 100 days.
create table usage_hourly (
  account_id bigint not null,
  key_id bigint not null,                          -- 0: the playground
  hour timestamptz not null,
  success bigint not null,
  failed bigint not null,
  refused bigint not null,
  from_credits bigint not null,
  from_payg bigint not null,
  primary key (account_id, hour, key_id)
);

-- By UTC day, kept forever.
create table usage_daily (
  account_id bigint not null,
  key_id bigint not null,
  day date not null,
  success bigint not null,
  failed bigint not null,
  refused bigint not null,
  from_credits bigint not null,
  from_payg bigint not null,
  last_at timestamptz,
  primary key (account_id, day, key_id)
) with (fillfactor = 70);

-- Histograms of durations: by day, kept forever; by hour, for the last days. Key -1: all keys of the account together.
create table usage_latency (
  account_id bigint not null,
  key_id bigint not null,
  hourly boolean not null,
  since timestamptz not null,                      -- start of the UTC hour or day
  bucket smallint not null,
  calls bigint not null,
  primary key (account_id, key_id, hourly, since, bucket)
) with (fillfactor = 70);

create table usage_open (
  account_id bigint not null,
  key_id bigint not null,                          -- 0: the playground
  hour timestamptz not null,
  bucket smallint not null,                        -- latency_bucket of the calls' durations; refusals: 0
  success bigint not null,
  failed bigint not null,
  refused bigint not null,
  from_credits bigint not null,
  from_payg bigint not null,
  last_at timestamptz,                             -- of the calls; null: refusals only
  primary key (account_id, hour, key_id, bucket)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);

-- What the last commits add to the sums, one row per batch, written in the transaction of its usage rows. An account that
-- calls a thousand times a second costs one update of the sums then, not a thousand.
create table usage_pending (
  at timestamptz not null,
  accounts bigint[] not null,
  keys bigint[] not null,
  buckets smallint[] not null,
  successes int[] not null,
  failures int[] not null,
  credits bigint[] not null,
  payg bigint[],                                   -- null: none
  refused int[]                                    -- null: none
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- What is not rolled up yet: open hours, and what the last commits add to them.
create view usage_recent as
  select account_id, key_id, hour, bucket, success, failed, refused, from_credits, from_payg, last_at from usage_open
  union all
  select s.account_id, s.key_id, date_trunc('hour', p.at, 'UTC'), s.bucket, s.success, s.failed, coalesce(s.refused, 0), s.credits, coalesce(s.payg, 0),
    case when s.success <> 0 or s.failed <> 0 then p.at end
  from usage_pending p, unnest(p.accounts, p.keys, p.buckets, p.successes, p.failures, p.credits, p.payg, p.refused)
    s(account_id, key_id, bucket, success, failed, credits, payg, refused);

-- The current sums: they agree exactly with the usage rows, in every snapshot. Read these, not the tables.
create view usage_by_hour as
  select account_id, key_id, hour, success, failed, refused, from_credits, from_payg from usage_hourly
  union all
  select account_id, key_id, hour, success, failed, refused, from_credits, from_payg from usage_recent;
create view usage_by_day as
  select account_id, key_id, day, success, failed, refused, from_credits, from_payg, last_at from usage_daily
  union all
  select account_id, key_id, (hour at time zone 'UTC')::date, success, failed, refused, from_credits, from_payg, last_at from usage_recent;
create view usage_durations as
  select account_id, key_id, hourly, since, bucket, calls from usage_latency
  union all
  select r.account_id, k.key_id, s.hourly, s.since, r.bucket, r.success + r.failed
  from usage_recent r, lateral (values (r.key_id), (-1)) k(key_id),
    lateral (values (true, r.hour), (false, date_trunc('day', r.hour, 'UTC'))) s(hourly, since);

-- What clients report about a call, in their own words. Never affects credits or usage.
create table usage_reports (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  user_id uuid not null,
  at timestamptz not null default app_now(),
  event text not null,
  receipt_id text,
  message text
);
create index on usage_reports (account_id, at);
create index on usage_reports (account_id, receipt_id);
