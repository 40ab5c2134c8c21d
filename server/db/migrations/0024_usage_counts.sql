-- Sums of usage by what asks for them: an hour under way keeps its counts by latency bucket in one small table, to which
-- usage_fold adds twice a second; usage_roll moves closed hours on into counts by hour and day and into histograms. So the
-- fold touches one line per key and bucket, and a chart of 90 days reads one line per key and day.
-- Refusals (400 to 429) are counted as well: by counters that servers flush, so that kill -9 may lose a second of them.

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

drop view usage_by_hour, usage_by_day;
alter table usage_hourly rename to usage_hourly_by_bucket;
alter index usage_hourly_pkey rename to usage_hourly_by_bucket_pkey;
alter table usage_daily rename to usage_daily_by_bucket;
alter index usage_daily_pkey rename to usage_daily_by_bucket_pkey;

-- For the last 100 days.
create table usage_hourly (
  account_id bigint not null,
  key_id bigint not null,
  hour timestamptz not null,
  success bigint not null,
  failed bigint not null,
  refused bigint not null,
  from_credits bigint not null,
  from_payg bigint not null,
  primary key (account_id, hour, key_id)
);
-- By UTC day, for ever.
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
-- Histograms of durations: by day for ever, by hour for the last days. Key -1: all keys of the account together.
create table usage_latency (
  account_id bigint not null,
  key_id bigint not null,
  hourly boolean not null,
  since timestamptz not null,                      -- start of the UTC hour or day
  bucket smallint not null,
  calls bigint not null,
  primary key (account_id, key_id, hourly, since, bucket)
) with (fillfactor = 70);

insert into usage_hourly select account_id, key_id, hour, sum(success), sum(failed), 0, sum(from_credits), sum(from_payg)
  from usage_hourly_by_bucket group by 1, 2, 3;
insert into usage_daily select account_id, key_id, day, sum(success), sum(failed), 0, sum(from_credits), sum(from_payg), max(last_at)
  from usage_daily_by_bucket group by 1, 2, 3;
insert into usage_latency
  select account_id, k, false, day::timestamp at time zone 'UTC', bucket, sum(success + failed)
  from usage_daily_by_bucket, unnest(array[key_id, -1]) k group by 1, 2, 4, 5 having sum(success + failed) <> 0
  union all
  select account_id, k, true, hour, bucket, sum(success + failed)
  from usage_hourly_by_bucket, unnest(array[key_id, -1]) k where hour > app_now() - interval '3 days' group by 1, 2, 4, 5 having sum(success + failed) <> 0;
drop table usage_hourly_by_bucket, usage_daily_by_bucket;

alter table usage_pending add column refused int[];  -- null: none

-- What is not rolled yet: open hours and what the last commits add to them.
create view usage_recent as
  select account_id, key_id, hour, bucket, success, failed, refused, from_credits, from_payg, last_at from usage_open
  union all
  select s.account_id, s.key_id, date_trunc('hour', p.at, 'UTC'), s.bucket, s.success, s.failed, coalesce(s.refused, 0), s.credits, coalesce(s.payg, 0),
    case when s.success <> 0 or s.failed <> 0 then p.at end
  from usage_pending p, unnest(p.accounts, p.keys, p.buckets, p.successes, p.failures, p.credits, p.payg, p.refused)
    s(account_id, key_id, bucket, success, failed, credits, payg, refused);

-- The sums as they are at this moment: they agree with the rows to the unit, in every snapshot. Read these, not the tables.
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

-- Moves the pending lines into the open hours. One at a time; false: another session is at it.
create or replace function usage_fold() returns boolean language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtext('usage_fold')) then return false; end if;
  -- Lines that a crash brings back are folded again: nobody has to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  with taken as (
    delete from usage_pending returning *
  )
  insert into usage_open as o (account_id, key_id, hour, bucket, success, failed, refused, from_credits, from_payg, last_at)
  select c.account_id, c.key_id, date_trunc('hour', t.at, 'UTC'), c.bucket, sum(c.success), sum(c.failed), coalesce(sum(c.refused), 0),
    sum(c.credits), coalesce(sum(c.payg), 0), max(t.at) filter (where c.success <> 0 or c.failed <> 0)
  from taken t, unnest(t.accounts, t.keys, t.buckets, t.successes, t.failures, t.credits, t.payg, t.refused)
    c(account_id, key_id, bucket, success, failed, credits, payg, refused)
  group by 1, 2, 3, 4
  on conflict (account_id, hour, key_id, bucket) do update set success = o.success + excluded.success, failed = o.failed + excluded.failed,
    refused = o.refused + excluded.refused, from_credits = o.from_credits + excluded.from_credits, from_payg = o.from_payg + excluded.from_payg,
    last_at = greatest(o.last_at, excluded.last_at);
  return true;
end $$;

-- Moves up to p_most lines of closed hours on. Answers how many: fewer than p_most, and none is left. Sums only ever add up,
-- so any lines may move at any time, and an hour that a late call opens again moves with the next run.
create function usage_roll(p_most int) returns int language plpgsql as $$
declare
  v_moved int;
begin
  perform pg_advisory_xact_lock(hashtext('usage_fold'));
  perform set_config('synchronous_commit', 'off', true);
  with taken as materialized (
    delete from usage_open where ctid = any (array(
      select ctid from usage_open where hour < date_trunc('hour', (select app_now()), 'UTC') limit p_most)) returning *
  ), hours as (
    insert into usage_hourly as h (account_id, key_id, hour, success, failed, refused, from_credits, from_payg)
    select account_id, key_id, hour, sum(success), sum(failed), sum(refused), sum(from_credits), sum(from_payg) from taken group by 1, 2, 3
    on conflict (account_id, hour, key_id) do update set success = h.success + excluded.success, failed = h.failed + excluded.failed,
      refused = h.refused + excluded.refused, from_credits = h.from_credits + excluded.from_credits, from_payg = h.from_payg + excluded.from_payg
  ), days as (
    insert into usage_daily as d (account_id, key_id, day, success, failed, refused, from_credits, from_payg, last_at)
    select account_id, key_id, (hour at time zone 'UTC')::date, sum(success), sum(failed), sum(refused), sum(from_credits), sum(from_payg), max(last_at)
    from taken group by 1, 2, 3
    on conflict (account_id, day, key_id) do update set success = d.success + excluded.success, failed = d.failed + excluded.failed,
      refused = d.refused + excluded.refused, from_credits = d.from_credits + excluded.from_credits, from_payg = d.from_payg + excluded.from_payg,
      last_at = greatest(d.last_at, excluded.last_at)
  ), durations as (
    insert into usage_latency as l (account_id, key_id, hourly, since, bucket, calls)
    select account_id, k.key_id, s.hourly, s.since, bucket, sum(success + failed)
    from taken t, lateral (values (t.key_id), (-1)) k(key_id),
      lateral (values (true, hour), (false, date_trunc('day', hour, 'UTC'))) s(hourly, since)
    group by 1, 2, 3, 4, 5 having sum(success + failed) <> 0
    on conflict (account_id, key_id, hourly, since, bucket) do update set calls = l.calls + excluded.calls
  )
  select count(*) into v_moved from taken;
  return v_moved;
end $$;
