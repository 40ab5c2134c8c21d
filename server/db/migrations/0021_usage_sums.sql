-- Usage sums by hour and by day, each with its histogram of durations, and alerts as facts of the commit.
-- The protocol: server/features/metering/README.md; the buckets: server/features/metering/latency.ts.

-- Bucket of a duration: 0 to 7 ms each their own, then four buckets to a doubling, up to 65,536 ms and beyond.
create function latency_bucket(p_ms int) returns smallint language sql immutable parallel safe as $$
  select width_bucket(p_ms, '{1,2,3,4,5,6,7,8,10,12,14,16,20,24,28,32,40,48,56,64,80,96,112,128,160,192,224,256,320,384,448,512,640,768,896,1024,1280,1536,1792,2048,2560,3072,3584,4096,5120,6144,7168,8192,10240,12288,14336,16384,20480,24576,28672,32768,40960,49152,57344,65536}'::int[])::smallint
$$;

-- Sums of usage_events by UTC day, for ever.
create table usage_daily (
  account_id bigint not null,
  key_id bigint not null,                          -- 0: the playground
  day date not null,
  bucket smallint not null,                        -- latency_bucket of the calls' durations
  success bigint not null,
  failed bigint not null,
  from_credits bigint not null,
  from_payg bigint not null,
  last_at timestamptz not null,
  primary key (account_id, day, key_id, bucket)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);

-- The same by hour, for the last 100 days.
alter table usage_hourly rename to usage_hourly_plain;
alter index usage_hourly_pkey rename to usage_hourly_plain_pkey;
create table usage_hourly (
  account_id bigint not null,
  key_id bigint not null,
  hour timestamptz not null,
  bucket smallint not null,
  success bigint not null,
  failed bigint not null,
  from_credits bigint not null,
  from_payg bigint not null,
  primary key (account_id, hour, key_id, bucket)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
-- From the rows; sums older than any row keep their counts, with durations unknown (bucket 0).
insert into usage_hourly select account_id, coalesce(key_id, 0), date_trunc('hour', at, 'UTC'), latency_bucket(duration_ms),
  count(*) filter (where success), count(*) filter (where not success), sum(from_credits), sum(from_payg) from usage_events group by 1, 2, 3, 4;
insert into usage_daily select account_id, coalesce(key_id, 0), (at at time zone 'UTC')::date, latency_bucket(duration_ms),
  count(*) filter (where success), count(*) filter (where not success), sum(from_credits), sum(from_payg), max(at) from usage_events group by 1, 2, 3, 4;
insert into usage_daily select account_id, key_id, (hour at time zone 'UTC')::date, 0, sum(success), sum(failed), sum(from_credits), sum(from_payg), max(last_at)
  from usage_hourly_plain where hour < (select coalesce(date_trunc('day', min(at), 'UTC'), 'infinity') from usage_events) group by 1, 2, 3;
insert into usage_hourly select account_id, key_id, hour, 0, success, failed, from_credits, from_payg
  from usage_hourly_plain where hour < (select coalesce(date_trunc('day', min(at), 'UTC'), 'infinity') from usage_events);
drop table usage_hourly_plain;

-- What the last commits add to the sums, a line a batch, written by the same transaction as the rows. usage_fold moves the
-- lines into the sums twice a second: an account that calls a thousand times a second is one update then, not a thousand.
create table usage_pending (
  at timestamptz not null,
  accounts bigint[] not null,
  keys bigint[] not null,
  buckets smallint[] not null,
  successes int[] not null,
  failures int[] not null,
  credits bigint[] not null,
  payg bigint[]                                    -- null: none
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- The sums as they are at this moment: they agree with the rows to the unit, in every snapshot. Read these, not the tables.
create view usage_by_hour as
  select account_id, key_id, hour, bucket, success, failed, from_credits, from_payg from usage_hourly
  union all
  select s.account_id, s.key_id, date_trunc('hour', p.at, 'UTC'), s.bucket, s.success, s.failed, s.credits, coalesce(s.payg, 0)
  from usage_pending p, unnest(p.accounts, p.keys, p.buckets, p.successes, p.failures, p.credits, p.payg)
    s(account_id, key_id, bucket, success, failed, credits, payg);
create view usage_by_day as
  select account_id, key_id, day, bucket, success, failed, from_credits, from_payg, last_at from usage_daily
  union all
  select s.account_id, s.key_id, (p.at at time zone 'UTC')::date, s.bucket, s.success, s.failed, s.credits, coalesce(s.payg, 0), p.at
  from usage_pending p, unnest(p.accounts, p.keys, p.buckets, p.successes, p.failures, p.credits, p.payg)
    s(account_id, key_id, bucket, success, failed, credits, payg);

-- Moves the pending lines into the sums. One at a time; false: another session is at it.
create function usage_fold() returns boolean language plpgsql as $$
begin
  if not pg_try_advisory_xact_lock(hashtext('usage_fold')) then return false; end if;
  with taken as (
    delete from usage_pending returning *
  ), s as materialized (
    select c.account_id, c.key_id, date_trunc('hour', t.at, 'UTC') as hour, c.bucket, sum(c.success) as success, sum(c.failed) as failed,
      sum(c.credits) as credits, coalesce(sum(c.payg), 0) as payg, max(t.at) as last_at
    from taken t, unnest(t.accounts, t.keys, t.buckets, t.successes, t.failures, t.credits, t.payg)
      c(account_id, key_id, bucket, success, failed, credits, payg) group by 1, 2, 3, 4
  ), days as (
    insert into usage_daily as d (account_id, key_id, day, bucket, success, failed, from_credits, from_payg, last_at)
    select account_id, key_id, (hour at time zone 'UTC')::date, bucket, sum(success), sum(failed), sum(credits), sum(payg), max(last_at)
    from s group by 1, 2, 3, 4
    on conflict (account_id, day, key_id, bucket) do update set success = d.success + excluded.success, failed = d.failed + excluded.failed,
      from_credits = d.from_credits + excluded.from_credits, from_payg = d.from_payg + excluded.from_payg, last_at = greatest(d.last_at, excluded.last_at)
  )
  insert into usage_hourly as h (account_id, key_id, hour, bucket, success, failed, from_credits, from_payg)
  select account_id, key_id, hour, bucket, success, failed, credits, payg from s
  on conflict (account_id, hour, key_id, bucket) do update set success = h.success + excluded.success, failed = h.failed + excluded.failed,
    from_credits = h.from_credits + excluded.from_credits, from_payg = h.from_payg + excluded.from_payg;
  return true;
end $$;

-- Alerts. A commit that brings the balance to alert_below or under it notes the account for the alert job, once: the job
-- works out what has been crossed and where the next alert lies. The greatest number: not worked out, the next charge asks.
alter table credit_accounts add column alert_below bigint not null default 9007199254740991;
create table usage_alerts_due (account_id bigint primary key references credit_accounts (account_id) on delete cascade);

drop function meter_commit(uuid, bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], int[], boolean[], smallint[], int[], uuid[], uuid[]);

-- Decides and records a batch of calls, all or nothing. Calls are grouped by account (ascending), in arrival order
-- within one; sums are by (account, key, latency bucket). Key 0: none. A failed call has cost 0 and no idempotency key.
-- Two paths with equal results: if nothing is unusual, a few set-based statements; else call by call, exactly.
-- The same p_batch again answers what was recorded and changes nothing.
create function meter_commit(
  p_batch uuid, p_accounts bigint[], p_account_costs bigint[],
  p_sum_accounts bigint[], p_sum_keys bigint[], p_sum_buckets smallint[], p_sum_costs bigint[], p_sum_successes int[], p_sum_failures int[],
  p_call_accounts bigint[], p_call_keys bigint[], p_costs int[], p_successes boolean[], p_tools smallint[], p_durations int[],
  p_idempotency_keys uuid[], p_requests uuid[]
) returns meter_batches language plpgsql as $$
declare
  r meter_batches;
  v_at timestamptz;
  v_good int;
  v_due timestamptz;
  v_odd bigint;
  v_budgets boolean;
  v_alerts bigint[];
begin
  begin
    -- Updates, and thereby locks, in id order (the arrays are sorted; hash and merge joins are switched off), so that servers never
    -- deadlock; every later statement sees what earlier holders committed. Anything unusual takes this back.
    with u as (
      update credit_accounts a set balance = a.balance - case when a.unlimited then 0 else t.cost end,
        unsettled = a.unsettled + case when a.unlimited then 0 else t.cost end,
        alert_below = case when not a.unlimited and t.cost > 0 and a.balance - t.cost <= a.alert_below then -2 when a.alert_below = -2 then -1 else a.alert_below end
      from unnest(p_accounts, p_account_costs) t(account_id, cost)
      where a.account_id = t.account_id and not a.blocked and (a.unlimited or a.balance >= t.cost)
      returning a.account_id, a.balance, a.unlimited, a.due_at, a.alert_below
    )
    select count(*), min(due_at), array_agg(balance order by account_id), array_agg(account_id) filter (where unlimited),
      array_agg(account_id) filter (where alert_below = -2)
    into v_good, v_due, r.balances, r.unlimited, v_alerts from u;
    v_at := app_now();
    if v_good < cardinality(p_accounts) or v_due <= v_at then raise sqlstate 'MT001'; end if;

    select count(*) filter (where k.live is not true), bool_or(k.monthly_budget is not null) into v_odd, v_budgets
    from unnest(p_sum_accounts, p_sum_keys) s(account_id, key_id)
    left join meter_keys k on k.key_id = s.key_id and k.account_id = s.account_id where s.key_id <> 0;
    if v_odd > 0 then raise sqlstate 'MT001'; end if;
    if v_budgets then
      with g as (
        select account_id, key_id, sum(cost) as cost from unnest(p_sum_accounts, p_sum_keys, p_sum_costs) s(account_id, key_id, cost)
        where (account_id = any (r.unlimited)) is not true group by 1, 2
      ), u as (
        update meter_keys k set budget_left = k.budget_left - g.cost from g
        where k.key_id = g.key_id and k.monthly_budget is not null and k.budget_left >= g.cost and k.budget_until > v_at returning 1
      )
      select count(*) - (select count(*) from u) into v_odd from g join meter_keys k on k.key_id = g.key_id where k.monthly_budget is not null;
      if v_odd > 0 then raise sqlstate 'MT001'; end if;
    end if;
    if p_idempotency_keys is not null then
      select count(*) - count(distinct (c.account_id, c.key)) + count(d.key) into v_odd
      from unnest(p_call_accounts, p_idempotency_keys) c(account_id, key) left join idempotency d on d.account_id = c.account_id and d.key = c.key
      where c.key is not null;
      if v_odd > 0 then raise sqlstate 'MT001'; end if;
    end if;

    insert into meter_batches (id, at, balances, unlimited) values (p_batch, v_at, r.balances, r.unlimited)
      on conflict (id) do nothing returning * into r;
    if not found then raise sqlstate 'MT002'; end if;
  exception
    when sqlstate 'MT001' then
      perform 1 from credit_accounts where account_id = any (p_accounts) order by account_id for no key update;
      return meter_commit_exact(p_batch, app_now(), p_accounts, p_call_accounts,
        p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests);
    when sqlstate 'MT002' then
      return meter_recorded(p_batch);
  end;
  if v_alerts is not null then insert into usage_alerts_due (account_id) select unnest(v_alerts) on conflict do nothing; end if;

  insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
  select account_id, v_at, nullif(key_id, 0), p_batch, n, tool_id, ms, case when account_id = any (r.unlimited) then 0 else cost end, 0, ok
  from unnest(p_call_accounts, p_call_keys, p_costs, p_successes, p_tools, p_durations) with ordinality c(account_id, key_id, cost, ok, tool_id, ms, n);

  insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits)
  values (v_at, p_sum_accounts, p_sum_keys, p_sum_buckets, p_sum_successes, p_sum_failures, case when r.unlimited is null then p_sum_costs
    else array(select case when account_id = any (r.unlimited) then 0 else cost end from unnest(p_sum_accounts, p_sum_costs)
      with ordinality c(account_id, cost, n) order by n) end);

  if p_idempotency_keys is not null then
    insert into idempotency (account_id, key, request, batch, n, at)
    select account_id, key, request, p_batch, n, v_at
    from unnest(p_call_accounts, p_idempotency_keys, p_requests) with ordinality c(account_id, key, request, n) where key is not null;
  end if;
  return r;
end $$;

-- The same decision call by call, in arrival order. The caller holds the accounts' locks.
create or replace function meter_commit_exact(
  p_batch uuid, p_at timestamptz, p_accounts bigint[], p_call_accounts bigint[], p_call_keys bigint[], p_costs int[],
  p_successes boolean[], p_tools smallint[], p_durations int[], p_idempotency_keys uuid[], p_requests uuid[]
) returns meter_batches language plpgsql as $$
declare
  r meter_batches;
  a credit_accounts;
  k meter_keys;
  d idempotency;
  i int := 1;
  n int := cardinality(p_call_accounts);
  v_account bigint;
  v_outcome text;
  v_cost bigint;
  v_key uuid;
  v_balance bigint;
  v_payg bigint;
  v_burn bigint;
begin
  insert into meter_batches (id, at, balances) values (p_batch, p_at, '{}') on conflict (id) do nothing;
  if not found then return meter_recorded(p_batch); end if;
  r.balances := '{}'; r.payg_left := '{}'; r.unlimited := '{}';
  r.outcomes := array_fill(null::text, array[n]); r.first_receipts := array_fill(null::text, array[n]);
  r.from_credits := array_fill(0, array[n]); r.from_payg := array_fill(0, array[n]);

  foreach v_account in array p_accounts loop
    select * into a from credit_accounts where account_id = v_account;
    if a.due_at <= p_at then
      perform credit_settle(v_account, p_at);
      select * into a from credit_accounts where account_id = v_account;
    end if;
    v_balance := coalesce(a.balance, 0);
    v_payg := coalesce(a.payg_left, 0);
    if a.unlimited then r.unlimited := r.unlimited || v_account; end if;

    while i <= n and p_call_accounts[i] = v_account loop
      v_cost := case when a.unlimited then 0 else p_costs[i] end;
      v_key := p_idempotency_keys[i];
      k := null; d := null;
      if p_call_keys[i] <> 0 then
        select * into k from meter_keys where key_id = p_call_keys[i] and account_id = v_account;
        if k.monthly_budget is not null and k.budget_until <= p_at then
          update meter_keys set budget_left = monthly_budget, budget_until = date_trunc('month', p_at, 'UTC') + interval '1 month'
          where key_id = k.key_id returning * into k;
        end if;
      end if;
      if v_key is not null then
        select * into d from idempotency where account_id = v_account and key = v_key and at > p_at - interval '24 hours';
      end if;

      v_outcome := case
        when a.account_id is null or (p_call_keys[i] <> 0 and k.live is not true) then 'key_invalid'
        when a.blocked then 'account_suspended'
        when d.request <> p_requests[i] then 'idempotency_mismatch'
        when d.request = p_requests[i] then 'replayed'
        when v_cost > k.budget_left and k.monthly_budget is not null then 'key_budget_exceeded'
        when v_cost > v_balance + v_payg then 'insufficient_credits'
        else 'charged' end;
      r.outcomes[i] := v_outcome;
      if v_outcome = 'replayed' then
        r.first_receipts[i] := d.batch || ' ' || d.n || ' ' || (extract(epoch from d.at) * 1000000)::bigint;
      elsif v_outcome = 'charged' then
        v_burn := least(v_cost, v_balance);
        r.from_credits[i] := v_burn;
        r.from_payg[i] := v_cost - v_burn;
        v_balance := v_balance - v_burn;
        v_payg := v_payg - (v_cost - v_burn);
        if k.monthly_budget is not null and v_cost > 0 then
          update meter_keys set budget_left = budget_left - v_cost where key_id = k.key_id;
        end if;
        if v_key is not null then
          insert into idempotency (account_id, key, request, batch, n, at) values (v_account, v_key, p_requests[i], p_batch, i, p_at)
          on conflict (account_id, key) do update set request = excluded.request, batch = excluded.batch, n = excluded.n, at = excluded.at;
        end if;
      end if;
      i := i + 1;
    end loop;

    if v_balance <> a.balance or v_payg <> a.payg_left then
      update credit_accounts set balance = v_balance, unsettled = unsettled + (a.balance - v_balance),
        payg_left = v_payg, payg_used = payg_used + (a.payg_left - v_payg),
        alert_below = case when v_balance < a.balance and v_balance <= alert_below then -1 else alert_below end where account_id = v_account;
      if v_balance < a.balance and v_balance <= a.alert_below then insert into usage_alerts_due (account_id) values (v_account) on conflict do nothing; end if;
    end if;
    r.balances := r.balances || v_balance;
    r.payg_left := r.payg_left || v_payg;
  end loop;

  insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
  select account_id, p_at, nullif(key_id, 0), p_batch, c.n, tool_id, ms, credits, payg, ok
  from unnest(p_call_accounts, p_call_keys, p_successes, p_tools, p_durations, r.from_credits, r.from_payg, r.outcomes)
    with ordinality c(account_id, key_id, ok, tool_id, ms, credits, payg, outcome, n) where outcome = 'charged';

  insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits, payg)
  select p_at, array_agg(account_id), array_agg(key_id), array_agg(bucket), array_agg(success), array_agg(failed), array_agg(credits), array_agg(payg)
  from (select account_id, key_id, latency_bucket(ms) as bucket, count(*) filter (where ok) as success, count(*) filter (where not ok) as failed,
          sum(credits) as credits, sum(payg) as payg
        from unnest(p_call_accounts, p_call_keys, p_successes, p_durations, r.from_credits, r.from_payg, r.outcomes)
          c(account_id, key_id, ok, ms, credits, payg, outcome) where outcome = 'charged' group by 1, 2, 3) s
  having count(*) > 0;

  update meter_batches set balances = r.balances, unlimited = r.unlimited, outcomes = r.outcomes, from_credits = r.from_credits,
    from_payg = r.from_payg, payg_left = r.payg_left, first_receipts = r.first_receipts where id = p_batch returning * into r;
  return r;
end $$;

-- For a batch whose callers were told 503 while its outcome was unknown: from now on it cannot take effect; if it has,
-- its charges are taken back and its rows become failed calls. Repeating it changes nothing.
create or replace function meter_void(p_batch uuid) returns void language plpgsql as $$
declare
  b meter_batches;
  a credit_accounts;
  v_credits bigint;
  v_payg bigint;
  v_settled bigint;
  v_grant bigint;
begin
  insert into meter_batches (id, at, balances, voided) values (p_batch, app_now(), '{}', true) on conflict (id) do nothing;
  if found then return; end if;
  select * into b from meter_batches where id = p_batch;
  for a in select * from credit_accounts where account_id in (select account_id from usage_events where at = b.at and batch = p_batch)
    order by account_id for no key update
  loop
    select sum(from_credits), sum(from_payg) into v_credits, v_payg from usage_events
    where account_id = a.account_id and at = b.at and batch = p_batch and success;
    -- What was settled meanwhile stands in the ledger and comes back as a grant of its own.
    v_settled := greatest(v_credits - a.unsettled, 0);
    if v_settled > 0 then
      insert into credit_grants (account_id, kind, priority, amount, remaining, state, effective_at, source_type, source_id)
      values (a.account_id, 'restore', 10, v_settled, v_settled, 'live', app_now(), 'meter_batch', p_batch || ' ' || a.account_id) returning id into v_grant;
      insert into credit_ledger (account_id, grant_id, at, kind, delta) values (a.account_id, v_grant, app_now(), 'refund', v_settled);
    end if;
    update credit_accounts set balance = balance + v_credits, unsettled = unsettled - (v_credits - v_settled),
      payg_left = payg_left + v_payg, payg_used = payg_used - v_payg, alert_below = 9007199254740991 where account_id = a.account_id;
    insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits, payg)
    select b.at, array_agg(a.account_id), array_agg(key_id), array_agg(bucket), array_agg(-calls), array_agg(calls), array_agg(-credits), array_agg(-payg)
    from (select coalesce(key_id, 0) as key_id, latency_bucket(duration_ms) as bucket, count(*) as calls, sum(from_credits) as credits, sum(from_payg) as payg
          from usage_events where account_id = a.account_id and at = b.at and batch = p_batch and success group by 1, 2) e
    having count(*) > 0;
    update usage_events set success = false, from_credits = 0, from_payg = 0
    where account_id = a.account_id and at = b.at and batch = p_batch and success;
    delete from idempotency where account_id = a.account_id and batch = p_batch;
    perform pg_notify('credits_changed', a.account_id::text);
  end loop;
  update meter_batches set voided = true where id = p_batch;
end $$;

-- Whatever changes how many credits there are moves the alerts: the next charge asks the job again.
create function credits_moved() returns trigger language plpgsql as $$
begin
  update credit_accounts set alert_below = 9007199254740991 where account_id = new.account_id;
  return null;
end $$;
create trigger credits_moved after insert on credit_ledger for each row when (new.kind <> 'debit') execute function credits_moved();
