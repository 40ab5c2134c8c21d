-- The decision of meter_commit and meter_commit_holds entry by entry, in arrival order. The caller holds the accounts' locks.
-- p_kinds null: calls only.
create or replace function meter_commit_exact(
  p_batch uuid, p_at timestamptz, p_accounts bigint[], p_call_accounts bigint[], p_call_keys bigint[], p_costs int[],
  p_successes boolean[], p_tools smallint[], p_durations int[], p_idempotency_keys uuid[], p_requests uuid[],
  p_kinds text[], p_holds uuid[], p_lifetimes int[]
) returns meter_batches language plpgsql as $$
declare
  r meter_batches;
  a credit_accounts;
  k meter_keys;
  d idempotency;
  h credit_holds;
  i int := 1;
  n int := cardinality(p_call_accounts);
  v_account bigint;
  v_outcome text;
  v_cost bigint;
  v_key uuid;
  v_kind text;
  v_request uuid;
  v_balance bigint;
  v_payg bigint;
  v_payg_used bigint;
  v_unsettled bigint;
  v_restored bigint;
  v_spent boolean;
  v_allowed boolean;
  v_grant bigint;
  v_burn bigint;
  c_none constant bigint := alert_below_none();
begin
  insert into meter_batches (id, at, balances) values (p_batch, p_at, '{}') on conflict (id) do nothing;
  if not found then return meter_recorded(p_batch); end if;
  r.balances := '{}'; r.payg_left := '{}'; r.unlimited := '{}';
  r.outcomes := array_fill(null::text, array[n]); r.first_receipts := array_fill(null::text, array[n]);
  r.from_credits := array_fill(0, array[n]); r.from_payg := array_fill(0, array[n]);
  if p_kinds is not null then r.returned := array_fill(0, array[n]); end if;

  foreach v_account in array p_accounts loop
    select * into a from credit_accounts where account_id = v_account;
    if a.due_at <= p_at then
      perform credit_settle(v_account, p_at);
      select * into a from credit_accounts where account_id = v_account;
    end if;
    v_balance := coalesce(a.balance, 0);
    v_payg := coalesce(a.payg_left, 0);
    v_payg_used := a.payg_used; v_unsettled := a.unsettled; v_restored := 0; v_spent := false;
    if a.unlimited then r.unlimited := r.unlimited || v_account; end if;

    while i <= n and p_call_accounts[i] = v_account loop
      v_cost := case when a.unlimited then 0 else p_costs[i] end;
      v_key := p_idempotency_keys[i];
      v_kind := coalesce(p_kinds[i], 'call');
      v_request := p_requests[i];
      k := null; d := null; h := null;
      if v_kind in ('settle', 'release') then
        -- First everything comes back.
        delete from credit_holds where id = p_holds[i] and account_id = v_account returning * into h;
        if found then
          r.returned[i] := h.from_credits;
          v_balance := v_balance + h.from_credits;
          -- Pay-as-you-go that was turned off meanwhile still pays for what was held of it, and nothing else.
          v_payg := v_payg + case when a.payg_enabled or v_kind = 'settle' then h.from_payg else 0 end;
          v_payg_used := greatest(v_payg_used - h.from_payg, 0);
          if h.from_budget > 0 then
            update meter_keys set budget_left = least(budget_left + h.from_budget, monthly_budget)
            where key_id = h.key_id and monthly_budget is not null and budget_until = h.budget_until;
          end if;
        end if;
      end if;
      if p_call_keys[i] <> 0 then
        select * into k from meter_keys where key_id = p_call_keys[i] and account_id = v_account;
        if k.monthly_budget is not null and k.budget_until <= p_at then
          update meter_keys set budget_left = monthly_budget, budget_until = month_end(p_at)
          where key_id = k.key_id returning * into k;
        end if;
      end if;
      if v_key is not null then
        select * into d from idempotency where account_id = v_account and key = v_key and at > p_at - interval '24 hours';
      end if;
      -- The hold has ended: by a first settlement, or charged at its expiry, if it is known.
      if v_kind = 'settle' and h.id is null and d.key is null then
        select * into d from idempotency where account_id = v_account and key = p_holds[i] and at > p_at - interval '24 hours';
        if found then v_request := d.request; end if;
      end if;

      -- The work of a hold was allowed when it began: its settlement asks for nothing but the credits.
      v_allowed := v_kind = 'settle' and h.id is not null;
      v_outcome := case
        when a.account_id is null or (v_kind <> 'release' and p_call_keys[i] <> 0 and k.live is not true and not v_allowed) then 'key_invalid'
        when v_kind = 'release' then case when h.id is null then 'ended' else 'released' end
        when a.blocked and not v_allowed then 'account_suspended'
        when d.request <> v_request then 'idempotency_mismatch'
        when d.answer <> p_requests[i + n] then 'data_changed'
        when d.request = v_request then 'replayed'
        when v_cost > k.budget_left and k.monthly_budget is not null and not v_allowed then 'key_budget_exceeded'
        when v_cost > v_balance + v_payg then 'insufficient_credits'
        when v_kind = 'hold' then 'held'
        else 'charged' end;
      r.outcomes[i] := v_outcome;
      if v_outcome = 'replayed' then
        r.first_receipts[i] := d.batch || ' ' || d.n || ' ' || (extract(epoch from d.at) * 1000000)::bigint;
        if not d.replayed then update idempotency set replayed = true where account_id = v_account and key = d.key; end if;
      elsif v_outcome in ('charged', 'held') then
        v_burn := least(v_cost, v_balance);
        r.from_credits[i] := v_burn;
        r.from_payg[i] := v_cost - v_burn;
        v_balance := v_balance - v_burn;
        v_payg := v_payg - (v_cost - v_burn);
        v_payg_used := v_payg_used + (v_cost - v_burn);
        if k.monthly_budget is not null and v_cost > 0 then
          update meter_keys set budget_left = greatest(budget_left - v_cost, 0) where key_id = k.key_id;
        end if;
        if v_outcome = 'held' then
          insert into credit_holds (id, account_id, key_id, from_credits, from_payg, from_budget, budget_until, expires_at, charge_as)
          values (p_holds[i], v_account, p_call_keys[i], v_burn, v_cost - v_burn, case when k.monthly_budget is null then 0 else v_cost end, k.budget_until,
            p_at + make_interval(secs => p_lifetimes[i]), p_tools[i]);
        else
          v_spent := v_spent or v_burn > 0;
        end if;
        -- A hold is settled once: its id is the key under which a second settlement finds the first.
        if v_kind = 'settle' then
          insert into idempotency (account_id, key, request, batch, n, at) values (v_account, p_holds[i], p_holds[i], p_batch, i, p_at)
          on conflict (account_id, key) do update set batch = excluded.batch, n = excluded.n, at = excluded.at, replayed = false;
        end if;
        if v_key is not null then
          insert into idempotency (account_id, key, request, answer, batch, n, at)
          values (v_account, v_key, p_requests[i], p_requests[i + n], p_batch, i, p_at)
          on conflict (account_id, key) do update set request = excluded.request, answer = excluded.answer, batch = excluded.batch, n = excluded.n, at = excluded.at,
            replayed = false;
        end if;
      end if;
      if not a.payg_enabled then v_payg := 0; end if;
      v_unsettled := v_unsettled + r.from_credits[i] - coalesce(h.from_credits, 0);
      if v_unsettled < 0 then
        -- What was settled during the hold is in the ledger. What comes back of it is a grant of its own.
        insert into credit_grants (account_id, kind, priority, amount, remaining, state, effective_at, source_type, source_id)
        values (v_account, 'restore', 10, -v_unsettled, -v_unsettled, 'live', p_at, 'credit_hold', h.id::text) returning id into v_grant;
        insert into credit_ledger (account_id, grant_id, at, kind, delta) values (v_account, v_grant, p_at, 'refund', -v_unsettled);
        v_restored := v_restored - v_unsettled;
        v_unsettled := 0;
      end if;
      i := i + 1;
    end loop;

    if v_spent or v_restored > 0 or (v_balance, v_payg, v_payg_used) <> (a.balance, a.payg_left, a.payg_used) then
      v_spent := v_spent and v_balance <= a.alert_below;
      update credit_accounts set balance = v_balance, unsettled = v_unsettled, payg_left = v_payg, payg_used = v_payg_used,
        alert_below = case when v_spent then c_none when v_restored > 0 then alert_below_unknown() else alert_below end where account_id = v_account;
      if v_spent then insert into usage_alerts_due (account_id) values (v_account) on conflict do nothing; end if;
      -- Servers may remember that the account is empty.
      if a.balance + a.payg_left <= 0 and v_balance + v_payg > 0 then perform pg_notify('credits_changed', v_account::text); end if;
    end if;
    r.balances := r.balances || v_balance;
    r.payg_left := r.payg_left || v_payg;
  end loop;

  insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success, units)
  select account_id, p_at, nullif(key_id, 0), p_batch, c.n, tool_id, ms, credits, payg, ok, coalesce(units, 0)
  from unnest(p_call_accounts, p_call_keys, p_successes, p_tools, p_durations[1:n], p_durations[n + 1:], r.from_credits, r.from_payg, r.outcomes)
    with ordinality c(account_id, key_id, ok, tool_id, ms, units, credits, payg, outcome, n) where outcome = 'charged';

  insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits, payg)
  select p_at, array_agg(account_id), array_agg(key_id), array_agg(bucket), array_agg(success), array_agg(failed), array_agg(credits), array_agg(payg)
  from (select account_id, key_id, latency_bucket(ms) as bucket, count(*) filter (where ok) as success, count(*) filter (where not ok) as failed,
          sum(credits) as credits, sum(payg) as payg
        from unnest(p_call_accounts, p_call_keys, p_successes, p_durations, r.from_credits, r.from_payg, r.outcomes)
          c(account_id, key_id, ok, ms, credits, payg, outcome) where outcome = 'charged' group by 1, 2, 3) s
  having count(*) > 0;

  if p_kinds is not null then
    select array_agg(account_id), array_agg(hold) into r.hold_accounts, r.holds
    from unnest(p_call_accounts, p_holds, r.outcomes) c(account_id, hold, outcome) where outcome = 'held';
  end if;
  update meter_batches set balances = r.balances, unlimited = r.unlimited, outcomes = r.outcomes, from_credits = r.from_credits,
    from_payg = r.from_payg, payg_left = r.payg_left, first_receipts = r.first_receipts,
    returned = r.returned, hold_accounts = r.hold_accounts, holds = r.holds where id = p_batch returning * into r;
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
