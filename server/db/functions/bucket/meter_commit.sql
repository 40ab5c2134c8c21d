-- Decides and records a batch of calls, all or nothing. The protocol: server/features/metering/README.md.
-- Calls are grouped by account (ascending), in arrival order within one; sums are by (account, key, latency bucket).
-- p_requests has the digests of the requests and, behind them, those of the answers that repeats must have; servers of the release before send none.
-- p_durations has the durations and, behind them, what variable prices counted; none if no call has such a price.
-- Key 0: none. A failed call has cost 0 and no idempotency key.
-- Two paths with equal results: if nothing is unusual, a few set-based statements; otherwise call by call, exactly.
-- The same p_batch again returns what was recorded and changes nothing.
--
-- Error codes raised and caught here, and nowhere else:
--   MT001  something is unusual: roll back to the start of the block and decide call by call
--   MT002  the batch is recorded already: roll back and return that result
create or replace function meter_commit(
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
  -- Evaluated once per call. Written into the update, they would be inlined anew each time it is planned.
  c_crossed constant bigint := alert_below_crossed();
  c_none constant bigint := alert_below_none();
begin
  begin
    -- Updates and therefore locks in id order (the arrays are sorted; hash and merge joins are off), so that servers never
    -- deadlock. Every later statement sees what earlier lock holders committed. Anything unusual rolls this back.
    with u as (
      update credit_accounts a set balance = a.balance - case when a.unlimited then 0 else t.cost end,
        unsettled = a.unsettled + case when a.unlimited then 0 else t.cost end,
        alert_below = case when not a.unlimited and t.cost > 0 and a.balance - t.cost <= a.alert_below then c_crossed when a.alert_below = c_crossed then c_none else a.alert_below end
      from unnest(p_accounts, p_account_costs) t(account_id, cost)
      where a.account_id = t.account_id and not a.blocked and (a.unlimited or a.balance >= t.cost)
      returning a.account_id, a.balance, a.unlimited, a.due_at, a.alert_below
    )
    select count(*), min(due_at), array_agg(balance order by account_id), array_agg(account_id) filter (where unlimited),
      array_agg(account_id) filter (where alert_below = c_crossed)
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
        p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests, null, null, null);
    when sqlstate 'MT002' then
      return meter_recorded(p_batch);
  end;
  perform meter_record_calls(r, v_alerts, p_sum_accounts, p_sum_keys, p_sum_buckets, p_sum_costs, p_sum_successes, p_sum_failures,
    p_call_accounts, p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests, null);
  return r;
end $$;

-- The calls of a batch whose entries were all accepted: alerts, usage rows, sums and idempotency keys. p_kinds null: every entry is a call.
create or replace function meter_record_calls(
  r meter_batches, p_alerts bigint[],
  p_sum_accounts bigint[], p_sum_keys bigint[], p_sum_buckets smallint[], p_sum_costs bigint[], p_sum_successes int[], p_sum_failures int[],
  p_call_accounts bigint[], p_call_keys bigint[], p_costs int[], p_successes boolean[], p_tools smallint[], p_durations int[],
  p_idempotency_keys uuid[], p_requests uuid[], p_kinds text[]
) returns void language plpgsql as $$
declare
  v_costs bigint[];
  v_calls constant int := cardinality(p_call_accounts);
begin
  if p_alerts is not null then insert into usage_alerts_due (account_id) select unnest(p_alerts) on conflict do nothing; end if;
  if cardinality(p_sum_accounts) = 0 then return; end if;

  insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success, units)
  select account_id, r.at, nullif(key_id, 0), r.id, n, tool_id, ms, case when account_id = any (r.unlimited) then 0 else cost end, 0, ok, coalesce(units, 0)
  from unnest(p_call_accounts, p_call_keys, p_costs, p_successes, p_tools, p_durations[1:v_calls], p_durations[v_calls + 1:], p_kinds)
    with ordinality c(account_id, key_id, cost, ok, tool_id, ms, units, kind, n)
  where kind is null or kind in ('call', 'settle');

  v_costs := case when r.unlimited is null then p_sum_costs
    else array(select case when account_id = any (r.unlimited) then 0 else cost end from unnest(p_sum_accounts, p_sum_costs)
      with ordinality c(account_id, cost, n) order by n) end;
  insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits)
  values (r.at, p_sum_accounts, p_sum_keys, p_sum_buckets, p_sum_successes, p_sum_failures, v_costs);

  if p_idempotency_keys is not null then
    insert into idempotency (account_id, key, request, answer, batch, n, at)
    select account_id, key, request, p_requests[(n + cardinality(p_call_accounts))::int], r.id, n, r.at
    from unnest(p_call_accounts, p_idempotency_keys, p_requests) with ordinality c(account_id, key, request, n) where key is not null;
  end if;
end $$;
