-- For a batch whose callers were answered 503 while its outcome was unknown: from now on it cannot take effect. If it already
-- has, its charges are taken back and its rows become failed calls, except charges from which a repeat was answered: that
-- caller has a receipt. Repeating it changes nothing.
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
  -- While these locks are held, no commit can answer a repeat.
  for a in select * from credit_accounts where account_id in (select account_id from usage_events where at = b.at and batch = p_batch and success)
    order by account_id for no key update
  loop
    select array_agg(e.n), sum(e.from_credits), sum(e.from_payg) into v_taken_back, v_credits, v_payg from usage_events e
    where e.account_id = a.account_id and e.at = b.at and e.batch = p_batch and e.success
      and not exists (select from idempotency i where i.account_id = e.account_id and i.batch = e.batch and i.n = e.n and i.replayed);
    continue when v_taken_back is null;
    -- What was settled in the meantime is in the ledger and comes back as a separate grant.
    v_settled := greatest(v_credits - a.unsettled, 0);
    if v_settled > 0 then
      insert into credit_grants (account_id, kind, priority, amount, remaining, state, effective_at, source_type, source_id)
      values (a.account_id, 'restore', 10, v_settled, v_settled, 'live', app_now(), 'meter_batch', p_batch || ' ' || a.account_id) returning id into v_grant;
      insert into credit_ledger (account_id, grant_id, at, kind, delta) values (a.account_id, v_grant, app_now(), 'refund', v_settled);
    end if;
    update credit_accounts set balance = balance + v_credits, unsettled = unsettled - (v_credits - v_settled),
      payg_left = payg_left + v_payg, payg_used = payg_used - v_payg, alert_below = alert_below_unknown() where account_id = a.account_id;
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
