-- Whether a subscription grants its plan's rights: a late payment is tolerated for seven days.
create or replace function subscription_in_force(p_status text, p_past_due_since timestamptz) returns boolean language sql volatile as $$
  select p_status = 'active' or (p_status = 'past_due' and coalesce(p_past_due_since, app_now()) > app_now() - interval '7 days')
$$;

-- Requests per minute of an account: its own limit, or the highest of its plans in force, or the free plan's. Null: no limit.
create or replace function account_rate_limit(p_account bigint) returns int language sql volatile as $$
  select nullif(coalesce(
    (select rate_limit_per_minute from accounts where id = p_account),
    (select max(p.rate_limit_per_minute) from subscriptions s join plans p using (price_id)
     where s.account_id = p_account and subscription_in_force(s.status, s.past_due_since)),
    120), 0)
$$;
