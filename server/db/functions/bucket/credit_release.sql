-- Ends a hold outside a batch: credit_expire, and servers of the previous release. It is returned, or charged if it has expired and that
-- is how it ends. Returns false if there is no such hold. A settlement that comes at the same time finds either the hold or its end,
-- because both lock the account.
create or replace function credit_release(p_id uuid) returns boolean language plpgsql as $$
declare
  a credit_accounts;
  h credit_holds;
  v_at timestamptz;
begin
  select * into h from credit_holds where id = p_id;
  if not found then return false; end if;
  select * into a from credit_accounts where account_id = h.account_id for no key update;
  delete from credit_holds where id = p_id returning * into h;
  if not found then return false; end if;
  v_at := app_now();
  if a.due_at <= v_at then perform credit_settle(h.account_id, v_at); end if;
  if h.charge_as is null or h.expires_at > v_at then
    perform credit_return(h);
    return true;
  end if;
  -- The credits are spent already: what was missing is the call. Its duration is not known.
  insert into usage_events (account_id, at, key_id, batch, n, tool_id, duration_ms, from_credits, from_payg, success)
  values (h.account_id, v_at, nullif(h.key_id, 0), h.id, 1, h.charge_as, 0, h.from_credits, h.from_payg, true);
  insert into usage_pending (at, accounts, keys, buckets, successes, failures, credits, payg)
  values (v_at, array[h.account_id], array[h.key_id], array[latency_bucket(0)], '{1}', '{0}', array[h.from_credits], array[h.from_payg]);
  insert into idempotency (account_id, key, request, batch, n, at) values (h.account_id, h.id, h.id, h.id, 1, v_at);
  update credit_accounts set alert_below = alert_below_none() where account_id = h.account_id and h.from_credits > 0 and balance <= alert_below;
  if found then insert into usage_alerts_due (account_id) values (h.account_id) on conflict do nothing; end if;
  return true;
end $$;

-- Gives back what a deleted hold reserved. What was settled in the meantime is in the ledger and comes back as a separate grant.
-- The caller holds the account's lock.
create or replace function credit_return(h credit_holds) returns void language plpgsql as $$
declare
  a credit_accounts;
  v_settled bigint;
  v_grant bigint;
begin
  select * into a from credit_accounts where account_id = h.account_id;
  v_settled := greatest(h.from_credits - a.unsettled, 0);
  if v_settled > 0 then
    insert into credit_grants (account_id, kind, priority, amount, remaining, state, effective_at, source_type, source_id)
    values (h.account_id, 'restore', 10, v_settled, v_settled, 'live', app_now(), 'credit_hold', h.id::text) returning id into v_grant;
    insert into credit_ledger (account_id, grant_id, at, kind, delta) values (h.account_id, v_grant, app_now(), 'refund', v_settled);
  end if;
  update credit_accounts set balance = balance + h.from_credits, unsettled = unsettled - (h.from_credits - v_settled),
    payg_left = case when payg_enabled then payg_left + h.from_payg else 0 end, payg_used = greatest(payg_used - h.from_payg, 0),
    alert_below = case when v_settled > 0 then alert_below_unknown() else alert_below end
  where account_id = h.account_id;
  update meter_keys set budget_left = least(budget_left + h.from_budget, monthly_budget)
  where key_id = h.key_id and h.from_budget > 0 and monthly_budget is not null and budget_until = h.budget_until;
  perform pg_notify('credits_changed', h.account_id::text);
end $$;
