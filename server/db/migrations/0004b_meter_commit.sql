-- The commit of metered calls. The protocol: server/features/metering/README.md.

-- Decides and records a batch of calls, all or nothing. Calls are grouped by account (ascending), in arrival order
-- within one; groups are the distinct (account, key) pairs. Key 0: none. A failed call has cost 0 and no idempotency key.
-- Two paths with equal results: if nothing is unusual, a few set-based statements; else call by call, exactly.
-- The same p_batch again answers what was recorded and changes nothing.
create function meter_commit(
  p_batch uuid, p_accounts bigint[], p_account_costs bigint[],
  p_group_accounts bigint[], p_group_keys bigint[], p_group_costs bigint[], p_group_successes bigint[], p_group_failures bigint[],
  p_call_accounts bigint[], p_call_keys bigint[], p_costs int[], p_successes boolean[], p_tools smallint[], p_durations int[],
  p_idempotency_keys uuid[], p_requests uuid[]
) returns meter_batches language plpgsql as $$
declare
  r meter_batches;
  v_at timestamptz;
  v_good int;
  v_due timestamptz;
  v_odd bigint;
begin
  -- Locks in id order, so that servers never deadlock; every later statement sees what earlier holders committed.
  select count(*) filter (where not a.blocked and (a.unlimited or a.balance >= t.cost)), min(a.due_at),
    array_agg(a.account_id) filter (where a.unlimited),
    array_agg(case when a.unlimited then a.balance else a.balance - t.cost end order by a.account_id)
  into v_good, v_due, r.unlimited, r.balances
  from (select account_id, balance, blocked, unlimited, due_at from credit_accounts
        where account_id = any (p_accounts) order by account_id for no key update) a
  join unnest(p_accounts, p_account_costs) t(account_id, cost) on t.account_id = a.account_id;

  v_at := app_now();
  if v_good < cardinality(p_accounts) or v_due <= v_at then return meter_commit_exact(p_batch, v_at, p_accounts, p_call_accounts,
    p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests); end if;

  select count(*) into v_odd from unnest(p_group_accounts, p_group_keys, p_group_costs) g(account_id, key_id, cost)
  left join meter_keys k on k.key_id = g.key_id and k.account_id = g.account_id
  where g.key_id <> 0 and not coalesce(k.live and (k.monthly_budget is null or (k.budget_left >= g.cost and k.budget_until > v_at)), false);
  if v_odd = 0 and p_idempotency_keys is not null then
    select count(*) - count(distinct (c.account_id, c.key)) + count(d.key) into v_odd
    from unnest(p_call_accounts, p_idempotency_keys) c(account_id, key) left join idempotency d on d.account_id = c.account_id and d.key = c.key
    where c.key is not null;
  end if;
  if v_odd > 0 then return meter_commit_exact(p_batch, v_at, p_accounts, p_call_accounts,
    p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests); end if;

  insert into meter_batches (id, at, balances, unlimited) values (p_batch, v_at, r.balances, r.unlimited)
    on conflict (id) do nothing returning * into r;
  if not found then return meter_recorded(p_batch); end if;

  update credit_accounts a set balance = a.balance - t.cost, unsettled = a.unsettled + t.cost
  from unnest(p_accounts, p_account_costs) t(account_id, cost)
  where a.account_id = t.account_id and t.cost > 0 and not a.unlimited;

  update meter_keys k set budget_left = k.budget_left - g.cost
  from unnest(p_group_accounts, p_group_keys, p_group_costs) g(account_id, key_id, cost)
  where k.key_id = g.key_id and k.monthly_budget is not null and g.cost > 0 and (g.account_id = any (r.unlimited)) is not true;

  insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
  select account_id, v_at, nullif(key_id, 0), p_batch, n, tool_id, ms, case when account_id = any (r.unlimited) then 0 else cost end, 0, ok
  from unnest(p_call_accounts, p_call_keys, p_costs, p_successes, p_tools, p_durations) with ordinality c(account_id, key_id, cost, ok, tool_id, ms, n);

  insert into usage_hourly as h (account_id, key_id, hour, success, failed, from_credits, from_payg, last_at)
  select account_id, key_id, date_trunc('hour', v_at, 'UTC'), ok, bad, case when account_id = any (r.unlimited) then 0 else cost end, 0, v_at
  from unnest(p_group_accounts, p_group_keys, p_group_costs, p_group_successes, p_group_failures) g(account_id, key_id, cost, ok, bad)
  on conflict (account_id, key_id, hour) do update set success = h.success + excluded.success, failed = h.failed + excluded.failed,
    from_credits = h.from_credits + excluded.from_credits, last_at = greatest(h.last_at, excluded.last_at);

  if p_idempotency_keys is not null then
    insert into idempotency (account_id, key, request, batch, n, at)
    select account_id, key, request, p_batch, n, v_at
    from unnest(p_call_accounts, p_idempotency_keys, p_requests) with ordinality c(account_id, key, request, n) where key is not null;
  end if;
  return r;
end $$;

-- The same decision call by call, in arrival order. The caller holds the accounts' locks.
create function meter_commit_exact(
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
        payg_left = v_payg, payg_used = payg_used + (a.payg_left - v_payg) where account_id = v_account;
    end if;
    r.balances := r.balances || v_balance;
    r.payg_left := r.payg_left || v_payg;
  end loop;

  insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
  select account_id, p_at, nullif(key_id, 0), p_batch, c.n, tool_id, ms, credits, payg, ok
  from unnest(p_call_accounts, p_call_keys, p_successes, p_tools, p_durations, r.from_credits, r.from_payg, r.outcomes)
    with ordinality c(account_id, key_id, ok, tool_id, ms, credits, payg, outcome, n) where outcome = 'charged';

  insert into usage_hourly as h (account_id, key_id, hour, success, failed, from_credits, from_payg, last_at)
  select account_id, key_id, date_trunc('hour', p_at, 'UTC'), count(*) filter (where ok), count(*) filter (where not ok), sum(credits), sum(payg), p_at
  from unnest(p_call_accounts, p_call_keys, p_successes, r.from_credits, r.from_payg, r.outcomes)
    c(account_id, key_id, ok, credits, payg, outcome) where outcome = 'charged' group by account_id, key_id
  on conflict (account_id, key_id, hour) do update set success = h.success + excluded.success, failed = h.failed + excluded.failed,
    from_credits = h.from_credits + excluded.from_credits, from_payg = h.from_payg + excluded.from_payg, last_at = greatest(h.last_at, excluded.last_at);

  update meter_batches set balances = r.balances, unlimited = r.unlimited, outcomes = r.outcomes, from_credits = r.from_credits,
    from_payg = r.from_payg, payg_left = r.payg_left, first_receipts = r.first_receipts where id = p_batch returning * into r;
  return r;
end $$;

create function meter_recorded(p_batch uuid) returns meter_batches language plpgsql as $$
declare r meter_batches;
begin
  select * into strict r from meter_batches where id = p_batch;
  if r.voided then raise exception 'batch % was given up', p_batch using errcode = 'object_not_in_prerequisite_state'; end if;
  return r;
end $$;

-- For a batch whose callers were told 503 while its outcome was unknown: from now on it cannot take effect; if it has,
-- its charges are taken back and its rows become failed calls. Repeating it changes nothing.
create function meter_void(p_batch uuid) returns void language plpgsql as $$
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
      payg_left = payg_left + v_payg, payg_used = payg_used - v_payg where account_id = a.account_id;
    update usage_hourly h set success = h.success - e.calls, failed = h.failed + e.calls,
      from_credits = h.from_credits - e.credits, from_payg = h.from_payg - e.payg
    from (select coalesce(key_id, 0) as key_id, count(*) as calls, sum(from_credits) as credits, sum(from_payg) as payg from usage_events
          where account_id = a.account_id and at = b.at and batch = p_batch and success group by 1) e
    where h.account_id = a.account_id and h.key_id = e.key_id and h.hour = date_trunc('hour', b.at, 'UTC');
    update usage_events set success = false, from_credits = 0, from_payg = 0
    where account_id = a.account_id and at = b.at and batch = p_batch and success;
    delete from idempotency where account_id = a.account_id and batch = p_batch;
    perform pg_notify('credits_changed', a.account_id::text);
  end loop;
  update meter_batches set voided = true where id = p_batch;
end $$;
