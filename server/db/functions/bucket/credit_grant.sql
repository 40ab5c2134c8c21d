-- Adds a grant unless its source was granted before. A debt is repaid from the new grant before any of it can be spent.
-- Returns true if granted now. Here and below, any change in the amount of credits other than spending moves the alerts:
-- alert_below_unknown() makes the account due at its next charge.
create or replace function credit_grant(p_account bigint, p_kind text, p_priority smallint, p_amount bigint, p_source_type text, p_source_id text,
  p_effective_at timestamptz, p_expires_at timestamptz) returns boolean language plpgsql as $$
declare
  v_at timestamptz;
  v_grant bigint;
  v_from timestamptz;
  v_paid bigint;
begin
  perform 1 from credit_accounts where account_id = p_account for no key update;
  if not found then raise exception 'account % has no credit account', p_account using errcode = 'foreign_key_violation'; end if;
  v_at := app_now();
  perform credit_settle(p_account, v_at);
  v_from := coalesce(p_effective_at, v_at);
  insert into credit_grants (account_id, kind, priority, amount, remaining, effective_at, expires_at, source_type, source_id)
    values (p_account, p_kind, p_priority, p_amount, p_amount, v_from, coalesce(p_expires_at, 'infinity'), p_source_type, p_source_id)
    on conflict (source_type, source_id) do nothing returning id into v_grant;
  if v_grant is null then return false; end if;
  insert into credit_ledger (account_id, grant_id, at, kind, delta) values (p_account, v_grant, v_at, 'grant', p_amount);
  select least(debt_credits, p_amount) into v_paid from credit_accounts where account_id = p_account;
  if v_paid > 0 then
    update credit_grants set remaining = remaining - v_paid, state = case when remaining = v_paid then 'closed' else state end where id = v_grant;
    insert into credit_ledger (account_id, grant_id, at, kind, delta) values (p_account, v_grant, v_at, 'debt', -v_paid);
  end if;
  update credit_accounts set due_at = least(due_at, v_from), debt_credits = debt_credits - v_paid, alert_below = alert_below_unknown()
    where account_id = p_account;
  perform credit_settle(p_account, v_at);
  perform pg_notify('credits_changed', p_account::text);
  return true;
end $$;
