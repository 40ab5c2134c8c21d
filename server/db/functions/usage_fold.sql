-- The bucket of a duration: one bucket each for 0 to 7 ms, then four per doubling up to 65,536 ms, and one beyond.
-- server/features/metering/latency.ts uses the same boundaries.
create or replace function latency_bucket(p_ms int) returns smallint language sql immutable parallel safe as $$
  select width_bucket(p_ms, '{1,2,3,4,5,6,7,8,10,12,14,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792,2048,2560,3072,3584,4096,5120,6144,7168,8192,10240,12288,14336,16384,20480,24576,28672,32768,40960,49152,57344,65536}'::int[])::smallint
$$;

-- Moves pending rows into the open hours. One session at a time; returns false if another one is doing it.
create or replace function usage_fold() returns boolean language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtext('usage_fold')) then return false; end if;
  -- Rows that a crash restores are folded again, so there is no need to wait for the disk.
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

-- Moves up to p_most rows of closed hours into the sums. Returns how many; fewer than p_most means none is left. Sums only add
-- up, so any rows may move at any time, and an hour that a late call reopens moves with the next run.
create or replace function usage_roll(p_most int) returns int language plpgsql as $$
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
