-- Holds: credits set aside for a slow or costly call before its work, and settled by its commit. A hold is a charge that has
-- no usage row yet: it lies in unsettled, so that what expires meanwhile burns for it first.
create table credit_holds (
  id uuid primary key,
  account_id bigint not null references credit_accounts (account_id),
  key_id bigint not null,                          -- 0: the playground
  from_credits bigint not null check (from_credits >= 0),
  from_payg bigint not null check (from_payg >= 0),
  from_budget bigint not null check (from_budget >= 0),
  budget_until timestamptz,                        -- the month whose budget it was taken from
  expires_at timestamptz not null
);
create index on credit_holds (account_id);
create index on credit_holds (expires_at);

-- Sets up to p_most credits aside, decided as a call of that price would be. The same p_id again changes nothing.
create function credit_hold(p_id uuid, p_account bigint, p_key bigint, p_most bigint, p_seconds int, out outcome text, out balance bigint)
language plpgsql as $$
declare
  a credit_accounts;
  k meter_keys;
  v_at timestamptz;
  v_cost bigint;
  v_burn bigint;
begin
  select * into a from credit_accounts where account_id = p_account for no key update;
  v_at := app_now();
  if a.due_at <= v_at then
    perform credit_settle(p_account, v_at);
    select * into a from credit_accounts where account_id = p_account;
  end if;
  balance := coalesce(a.balance, 0);
  perform 1 from credit_holds where id = p_id;
  if found then outcome := 'held'; return; end if;
  if p_key <> 0 then
    select * into k from meter_keys where key_id = p_key and account_id = p_account;
    if k.monthly_budget is not null and k.budget_until <= v_at then
      update meter_keys set budget_left = monthly_budget, budget_until = date_trunc('month', v_at, 'UTC') + interval '1 month'
      where key_id = k.key_id returning * into k;
    end if;
  end if;
  v_cost := case when a.unlimited then 0 else p_most end;
  outcome := case
    when a.account_id is null or (p_key <> 0 and k.live is not true) then 'key_invalid'
    when a.blocked then 'account_suspended'
    when v_cost > k.budget_left and k.monthly_budget is not null then 'key_budget_exceeded'
    when v_cost > a.balance + a.payg_left then 'insufficient_credits'
    else 'held' end;
  if outcome <> 'held' then return; end if;
  v_burn := least(v_cost, a.balance);
  update credit_accounts c set balance = c.balance - v_burn, unsettled = unsettled + v_burn, payg_left = payg_left - (v_cost - v_burn),
    payg_used = payg_used + (v_cost - v_burn) where account_id = p_account;
  if k.monthly_budget is not null then update meter_keys set budget_left = budget_left - v_cost where key_id = k.key_id; end if;
  insert into credit_holds (id, account_id, key_id, from_credits, from_payg, from_budget, budget_until, expires_at)
    values (p_id, p_account, p_key, v_burn, v_cost - v_burn, case when k.monthly_budget is null then 0 else v_cost end, k.budget_until,
      v_at + make_interval(secs => p_seconds));
  balance := a.balance - v_burn;
end $$;

-- Gives a hold back. What was settled meanwhile stands in the ledger and comes back as a grant of its own. False: there is none.
create function credit_release(p_id uuid) returns boolean language plpgsql as $$
declare
  a credit_accounts;
  h credit_holds;
  v_settled bigint;
  v_grant bigint;
begin
  select * into h from credit_holds where id = p_id;
  if not found then return false; end if;
  select * into a from credit_accounts where account_id = h.account_id for no key update;
  delete from credit_holds where id = p_id returning * into h;
  if not found then return false; end if;
  v_settled := greatest(h.from_credits - a.unsettled, 0);
  if v_settled > 0 then
    insert into credit_grants (account_id, kind, priority, amount, remaining, state, effective_at, source_type, source_id)
    values (h.account_id, 'restore', 10, v_settled, v_settled, 'live', app_now(), 'credit_hold', p_id::text) returning id into v_grant;
    insert into credit_ledger (account_id, grant_id, at, kind, delta) values (h.account_id, v_grant, app_now(), 'refund', v_settled);
  end if;
  update credit_accounts set balance = balance + h.from_credits, unsettled = unsettled - (h.from_credits - v_settled),
    payg_left = case when payg_enabled then payg_left + h.from_payg else 0 end, payg_used = greatest(payg_used - h.from_payg, 0)
  where account_id = h.account_id;
  update meter_keys set budget_left = least(budget_left + h.from_budget, monthly_budget)
  where key_id = h.key_id and h.from_budget > 0 and monthly_budget is not null and budget_until = h.budget_until;
  perform pg_notify('credits_changed', h.account_id::text);
  return true;
end $$;

-- The commit of one call that holds credits: they are given back and the call is decided, in one transaction. A hold that
-- has ended before leaves the call to what the account has.
create function meter_commit_held(
  p_batch uuid, p_accounts bigint[], p_account_costs bigint[],
  p_sum_accounts bigint[], p_sum_keys bigint[], p_sum_buckets smallint[], p_sum_costs bigint[], p_sum_successes int[], p_sum_failures int[],
  p_call_accounts bigint[], p_call_keys bigint[], p_costs int[], p_successes boolean[], p_tools smallint[], p_durations int[],
  p_idempotency_keys uuid[], p_requests uuid[], p_hold uuid
) returns meter_batches language plpgsql as $$
begin
  perform credit_release(p_hold);
  return meter_commit(p_batch, p_accounts, p_account_costs, p_sum_accounts, p_sum_keys, p_sum_buckets, p_sum_costs, p_sum_successes,
    p_sum_failures, p_call_accounts, p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests);
end $$;
