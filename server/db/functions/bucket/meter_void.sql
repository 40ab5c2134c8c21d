-- For a batch whose callers were answered 503 while its outcome was unknown: from now on it cannot take effect. If it already
-- has, its charges are taken back and its rows become failed calls, except charges from which a repeat was answered: that
-- caller has a receipt. Its holds end, and if one was charged at its expiry meanwhile, that charge is taken back like the others.
-- What its settlements and releases returned stays returned. Repeating it changes nothing.
create or replace function meter_void(p_batch uuid) returns void language plpgsql as $$
declare
  b meter_batches;
  a credit_accounts;
  h credit_holds;
  v_account bigint;
  v_hold uuid;
  v_batch uuid;
  v_at timestamptz;
  v_taken_back smallint[];
  v_credits bigint;
  v_payg bigint;
  v_settled bigint;
  v_grant bigint;
begin
  insert into meter_batches (id, at, balances, voided) values (p_batch, app_now(), '{}', true) on conflict (id) do nothing;
  if found then return; end if;
  select * into b from meter_batches where id = p_batch;
  -- While these locks are held, no commit can answer a repeat.
  for v_account in select account_id from credit_accounts where account_id in (select account_id from usage_events where at = b.at and batch = p_batch and success)
    or account_id = any (b.hold_accounts) order by account_id for no key update
  loop
    foreach v_hold in array coalesce(b.holds, '{}') loop
      delete from credit_holds where id = v_hold and account_id = v_account returning * into h;
      if found then perform credit_return(h); end if;
    end loop;
    -- Its own charges, and those of its holds, which are batches of one.
    for v_batch, v_at in select p_batch, b.at union all
      select i.batch, i.at from idempotency i where i.account_id = v_account and i.key = any (b.holds) and i.batch = i.key
    loop
      select * into a from credit_accounts where account_id = v_account;
      select array_agg(e.n), sum(e.from_credits), sum(e.from_payg) into v_taken_back, v_credits, v_payg from usage_events e
      where e.account_id = v_account and e.at = v_at and e.batch = v_batch and e.success
        and not exists (select from idempotency i where i.account_id = e.account_id and i.batch = e.batch and i.n = e.n and i.replayed);
      continue when v_taken_back is null;
      -- What was settled in the meantime is in the ledger and comes back as a separate grant.
      v_settled := greatest(v_credits - a.unsettled, 0);
      if v_settled > 0 then
        insert into credit_grants (account_id, kind, priority, amount, remaining, state, effective_at, source_type, source_id)
        values (v_account, 'restore', 10, v_settled, v_settled, 'live', app_now(), 'meter_batch', v_batch || ' ' || v_account) returning id into v_grant;
        insert into credit_ledger (account_id, grant_id, at, kind, delta) values (v_account, v_grant, app_now(), 'refund', v_settled);
      end if;
      update credit_accounts set balance = balance + v_credits, unsettled = unsettled - (v_credits - v_settled),
        payg_left = case when payg_enabled then payg_left + v_payg else 0 end, payg_used = greatest(payg_used - v_payg, 0),
        alert_below = alert_below_unknown() where account_id = v_account;
      update meter_keys k set budget_left = least(k.budget_left + e.cost, k.monthly_budget)
      from (select key_id, sum(from_credits + from_payg) as cost from usage_events
            where account_id = v_account and at = v_at and batch = v_batch and n = any (v_taken_back) group by 1) e
      where k.account_id = v_account and k.key_id = e.key_id and k.monthly_budget is not null and k.budget_until = month_end(v_at);
      insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits, payg)
      select v_at, array_agg(v_account), array_agg(key_id), array_agg(bucket), array_agg(-calls), array_agg(calls), array_agg(-credits), array_agg(-payg)
      from (select coalesce(key_id, 0) as key_id, latency_bucket(duration_ms) as bucket, count(*) as calls, sum(from_credits) as credits, sum(from_payg) as payg
            from usage_events where account_id = v_account and at = v_at and batch = v_batch and n = any (v_taken_back) group by 1, 2) e;
      update usage_events set success = false, from_credits = 0, from_payg = 0
      where account_id = v_account and at = v_at and batch = v_batch and n = any (v_taken_back);
      delete from idempotency where account_id = v_account and batch = v_batch and n = any (v_taken_back);
      perform pg_notify('credits_changed', v_account::text);
    end loop;
  end loop;
  update meter_batches set voided = true where id = p_batch;
end $$;
