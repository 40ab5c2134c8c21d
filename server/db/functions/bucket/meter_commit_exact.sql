-- The decision of meter_commit call by call, in arrival order. The caller holds the accounts' locks.
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
  c_none constant bigint := alert_below_none();
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
        if not d.replayed then update idempotency set replayed = true where account_id = v_account and key = v_key; end if;
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
          on conflict (account_id, key) do update set request = excluded.request, batch = excluded.batch, n = excluded.n, at = excluded.at,
            replayed = false;
        end if;
      end if;
      i := i + 1;
    end loop;

    if v_balance <> a.balance or v_payg <> a.payg_left then
      update credit_accounts set balance = v_balance, unsettled = unsettled + (a.balance - v_balance),
        payg_left = v_payg, payg_used = payg_used + (a.payg_left - v_payg),
        alert_below = case when v_balance < a.balance and v_balance <= alert_below then c_none else alert_below end where account_id = v_account;
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

-- The recorded result of a batch.
create or replace function meter_recorded(p_batch uuid) returns meter_batches language plpgsql as $$
declare r meter_batches;
begin
  select * into strict r from meter_batches where id = p_batch;
  if r.voided then raise exception 'batch % was given up', p_batch using errcode = 'object_not_in_prerequisite_state'; end if;
  return r;
end $$;
