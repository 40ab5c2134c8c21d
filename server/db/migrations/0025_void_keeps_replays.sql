-- A repeat may be answered from a batch of another server that does not know yet that it was recorded, and has told its own
-- callers 503. Such a charge is somebody's receipt: taking the batch back must leave it.
alter table idempotency add column replayed boolean not null default false;

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
-- its charges are taken back and its rows become failed calls. What a repeat has been answered from stands: somebody
-- holds that receipt. Repeating it changes nothing.
create or replace function meter_void(p_batch uuid) returns void language plpgsql as $$
declare
  b meter_batches;
  a credit_accounts;
  v_taken_back smallint[];
  v_credits bigint;
  v_payg bigint;
  v_settled bigint;
  v_grant bigint;
begin
  insert into meter_batches (id, at, balances, voided) values (p_batch, app_now(), '{}', true) on conflict (id) do nothing;
  if found then return; end if;
  select * into b from meter_batches where id = p_batch;
  -- The locks let nobody answer a repeat meanwhile.
  for a in select * from credit_accounts where account_id in (select account_id from usage_events where at = b.at and batch = p_batch and success)
    order by account_id for no key update
  loop
    select array_agg(e.n), sum(e.from_credits), sum(e.from_payg) into v_taken_back, v_credits, v_payg from usage_events e
    where e.account_id = a.account_id and e.at = b.at and e.batch = p_batch and e.success
      and not exists (select from idempotency i where i.account_id = e.account_id and i.batch = e.batch and i.n = e.n and i.replayed);
    continue when v_taken_back is null;
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
          from usage_events where account_id = a.account_id and at = b.at and batch = p_batch and n = any (v_taken_back) group by 1, 2) e;
    update usage_events set success = false, from_credits = 0, from_payg = 0
    where account_id = a.account_id and at = b.at and batch = p_batch and n = any (v_taken_back);
    delete from idempotency where account_id = a.account_id and batch = p_batch and n = any (v_taken_back);
    perform pg_notify('credits_changed', a.account_id::text);
  end loop;
  update meter_batches set voided = true where id = p_batch;
end $$;
