-- Moves pending rows into the open hours. One session at a time; returns false if another one is doing it.
create or replace function usage_fold() returns boolean language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtext(current_schema() || '.usage_fold')) then return false; end if;
  -- Rows that a crash restores are folded again, so there is no need to wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  with taken as (
    delete from usage_pending returning *
  ), totals as (
    insert into usage_totals as h (hour, success, failed, refused, from_credits, from_payg)
    select date_trunc('hour', t.at, 'UTC'), sum(c.success), sum(c.failed), coalesce(sum(c.refused), 0), sum(c.credits), coalesce(sum(c.payg), 0)
    from taken t, unnest(t.successes, t.failures, t.credits, t.payg, t.refused) c(success, failed, credits, payg, refused) group by 1
    on conflict (hour) do update set success = h.success + excluded.success, failed = h.failed + excluded.failed,
      refused = h.refused + excluded.refused, from_credits = h.from_credits + excluded.from_credits, from_payg = h.from_payg + excluded.from_payg
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
  v_hour timestamptz := date_trunc('hour', app_now(), 'UTC');
begin
  perform pg_advisory_xact_lock(hashtext(current_schema() || '.usage_fold'));
  perform set_config('synchronous_commit', 'off', true);
  with taken as materialized (
    delete from usage_open o using (
      select account_id, hour, key_id, bucket from usage_open where hour < v_hour limit p_most
    ) c where o.account_id = c.account_id and o.hour = c.hour and o.key_id = c.key_id and o.bucket = c.bucket returning o.*
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
