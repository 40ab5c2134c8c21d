-- The sweep of one hold. Returns false if there is no such hold, or it has not expired: its time is read again once the account is
-- locked, because the clock of a database may have gone back since the sweep began, and credit_release would return the hold.
create or replace function credit_expire(p_id uuid) returns boolean language plpgsql as $$
begin
  perform from credit_accounts where account_id = (select account_id from credit_holds where id = p_id) for no key update;
  perform from credit_holds where id = p_id and expires_at <= app_now();
  return found and credit_release(p_id);
end $$;
