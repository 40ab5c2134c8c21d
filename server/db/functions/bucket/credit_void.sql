-- Takes back up to p_amount of what remains of one grant and returns how much it took. Repeating it takes more: callers keep
-- count.
create or replace function credit_void(p_grant bigint, p_amount bigint) returns bigint language plpgsql as $$
declare
  g credit_grants;
  v_taken bigint;
begin
  select * into strict g from credit_grants where id = p_grant;
  perform 1 from credit_accounts where account_id = g.account_id for no key update;
  perform credit_settle(g.account_id, app_now());
  select * into strict g from credit_grants where id = p_grant for update;
  v_taken := least(g.remaining, p_amount);
  if v_taken <= 0 then return 0; end if;
  update credit_grants set remaining = remaining - v_taken, state = case when remaining = v_taken then 'closed' else state end where id = p_grant;
  insert into credit_ledger (account_id, grant_id, at, kind, delta) values (g.account_id, p_grant, app_now(), 'void', -v_taken);
  update credit_accounts set balance = balance - case when g.state = 'live' then v_taken else 0 end, alert_below = alert_below_unknown(),
    due_at = coalesce((select min(case state when 'live' then expires_at else effective_at end)
      from credit_grants where account_id = g.account_id and state <> 'closed'), 'infinity')
  where account_id = g.account_id;
  perform pg_notify('credits_changed', g.account_id::text);
  return v_taken;
end $$;

-- Moves the expiry of a grant's remaining credits to an earlier time; a time in the past expires them now.
create or replace function credit_shorten(p_grant bigint, p_expires_at timestamptz) returns void language plpgsql as $$
declare
  v_account bigint;
begin
  select account_id into strict v_account from credit_grants where id = p_grant;
  perform 1 from credit_accounts where account_id = v_account for no key update;
  update credit_grants set expires_at = p_expires_at where id = p_grant and state <> 'closed' and expires_at > p_expires_at;
  if not found then return; end if;
  update credit_accounts set due_at = least(due_at, p_expires_at) where account_id = v_account;
  perform credit_settle(v_account, app_now());
  perform pg_notify('credits_changed', v_account::text);
end $$;
