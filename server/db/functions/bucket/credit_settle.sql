-- Brings one account up to date at p_at: burns unsettled credits into live grants (priority, earliest expiry, oldest), closes
-- expired grants, opens those that have started, and sets due_at. Takes the account's lock; repeating it changes nothing.
create or replace function credit_settle(p_account bigint, p_at timestamptz) returns void language plpgsql as $$
declare
  a credit_accounts;
  v_expired bigint;
  v_opened bigint;
begin
  select * into a from credit_accounts where account_id = p_account for no key update;
  if not found then return; end if;
  if a.unsettled > 0 then
    with live as (
      select id, remaining, sum(remaining) over (order by priority, expires_at, created_at, id) - remaining as before
      from credit_grants where account_id = p_account and state = 'live'
    ), part as (
      select id, least(remaining, a.unsettled - before)::bigint as burned from live where before < a.unsettled and remaining > 0
    ), burn as (
      update credit_grants g set remaining = g.remaining - part.burned, state = case when g.remaining = part.burned then 'closed' else 'live' end
      from part where g.id = part.id returning g.id, part.burned
    )
    insert into credit_ledger (account_id, grant_id, at, kind, delta) select p_account, id, p_at, 'debit', -burned from burn order by id;
    update credit_accounts set unsettled = 0 where account_id = p_account;
  end if;
  while a.due_at <= p_at loop
    with expired as (
      select id, remaining from credit_grants where account_id = p_account and state = 'live' and expires_at <= p_at
    ), closed as (
      update credit_grants g set remaining = 0, state = 'closed' from expired where g.id = expired.id returning g.id, expired.remaining
    ), lines as (
      insert into credit_ledger (account_id, grant_id, at, kind, delta)
      select p_account, id, p_at, 'expiry', -remaining from closed where remaining > 0 order by id returning delta
    ), opened as (
      update credit_grants set state = 'live' where account_id = p_account and state = 'pending' and effective_at <= p_at returning remaining
    )
    select coalesce((select sum(delta) from lines), 0), coalesce((select sum(remaining) from opened), 0) into v_expired, v_opened;
    update credit_accounts set balance = balance + v_expired + v_opened,
      alert_below = case when v_expired < 0 then alert_below_unknown() else alert_below end,
      due_at = coalesce((select min(case state when 'live' then expires_at else effective_at end)
        from credit_grants where account_id = p_account and state <> 'closed'), 'infinity')
    where account_id = p_account returning due_at into a.due_at;
  end loop;
end $$;
