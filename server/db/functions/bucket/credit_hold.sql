-- For servers of the release before, whose holds are transactions of their own: docs/decisions/0091-one-release-back.md.
-- Reserves up to p_most credits under the same rules as a call of that price. Repeating it with the same p_id changes
-- nothing.
create or replace function credit_hold(p_id uuid, p_account bigint, p_key bigint, p_most bigint, p_seconds int, out outcome text, out balance bigint)
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
      update meter_keys set budget_left = monthly_budget, budget_until = month_end(v_at)
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

