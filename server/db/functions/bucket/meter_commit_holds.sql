-- meter_commit for a batch with holds: an entry is a 'call', a 'hold' of its cost, a 'settle' (a call with a hold) or a 'release'.
-- A hold moves credits like a call and has no usage row; p_lifetimes are its seconds, and its tool, if any, is the one as which
-- an expired hold is charged. p_holds are the ids: new ones of holds, known ones of settlements and releases.
-- The set-based path takes accounts that can pay each entry from its own hold and what they have, whatever the order.
create or replace function meter_commit_holds(
  p_batch uuid, p_accounts bigint[],
  p_sum_accounts bigint[], p_sum_keys bigint[], p_sum_buckets smallint[], p_sum_costs bigint[], p_sum_successes int[], p_sum_failures int[],
  p_call_accounts bigint[], p_call_keys bigint[], p_costs int[], p_successes boolean[], p_tools smallint[], p_durations int[],
  p_idempotency_keys uuid[], p_requests uuid[], p_kinds text[], p_holds uuid[], p_lifetimes int[]
) returns meter_batches language plpgsql as $$
declare
  r meter_batches;
  v_at timestamptz;
  v_good int;
  v_due timestamptz;
  v_odd bigint;
  v_ended uuid[];
  v_alerts bigint[];
  v_freed bigint[];
  v_account bigint;
  c_crossed constant bigint := alert_below_crossed();
  c_none constant bigint := alert_below_none();
begin
  begin
    -- What a hold reserves never changes, so it may be read before the account is locked. Whether it still exists is seen below.
    select array_agg(coalesce(h.from_credits, 0)::int order by c.n), coalesce(array_agg(h.id) filter (where h.id is not null), '{}'),
      count(*) filter (where c.kind in ('settle', 'release') and (h.id is null or h.from_payg > 0 or h.from_budget > 0)),
      array_agg(c.account_id order by c.n) filter (where c.kind = 'hold'), array_agg(c.hold order by c.n) filter (where c.kind = 'hold')
    into r.returned, v_ended, v_odd, r.hold_accounts, r.holds
    from unnest(p_call_accounts, p_kinds, p_holds) with ordinality c(account_id, kind, hold, n)
    left join credit_holds h on h.id = c.hold and h.account_id = c.account_id and c.kind in ('settle', 'release');
    if v_odd > 0 then raise sqlstate 'MT001'; end if;

    -- Locks in id order, as in meter_commit.
    with t as (
      select account_id, sum(greatest(cost - back, 0)) as need, sum(greatest(back - cost, 0)) as surplus, sum(back) as back,
        coalesce(sum(cost) filter (where kind <> 'hold'), 0) as charged
      from unnest(p_call_accounts, p_kinds, p_costs, r.returned) c(account_id, kind, cost, back) group by account_id order by account_id
    ), u as (
      update credit_accounts a set balance = a.balance - case when a.unlimited then -t.back else t.need - t.surplus end,
        unsettled = a.unsettled + case when a.unlimited then -t.back else t.need - t.surplus end,
        alert_below = case when not a.unlimited and t.charged > 0 and a.balance - t.need + t.surplus <= a.alert_below then c_crossed when a.alert_below = c_crossed then c_none else a.alert_below end
      from t
      where a.account_id = t.account_id and not a.blocked and (a.unlimited or a.balance >= t.need)
        and a.unsettled >= case when a.unlimited then t.back else t.surplus end
      returning a.account_id, a.balance, a.unlimited, a.due_at, a.alert_below, a.payg_left, a.balance + t.need - t.surplus as was
    )
    select count(*), min(due_at), array_agg(balance order by account_id), array_agg(account_id) filter (where unlimited),
      array_agg(account_id) filter (where alert_below = c_crossed), coalesce(array_agg(account_id) filter (where was + payg_left <= 0 and balance > 0), '{}')
    into v_good, v_due, r.balances, r.unlimited, v_alerts, v_freed from u;
    v_at := app_now();
    if v_good < cardinality(p_accounts) or v_due <= v_at then raise sqlstate 'MT001'; end if;

    delete from credit_holds where id = any (v_ended);
    get diagnostics v_good = row_count;
    if v_good < cardinality(v_ended) then raise sqlstate 'MT001'; end if;

    select count(*) into v_odd
    from (select distinct account_id, key_id from unnest(p_call_accounts, p_call_keys, p_kinds) c(account_id, key_id, kind) where kind <> 'release' and key_id <> 0) s
    left join meter_keys k on k.key_id = s.key_id and k.account_id = s.account_id where k.live is not true or k.monthly_budget is not null;
    if v_odd > 0 then raise sqlstate 'MT001'; end if;
    if p_idempotency_keys is not null then
      select count(*) - count(distinct (c.account_id, c.key)) + count(d.key) into v_odd
      from unnest(p_call_accounts, p_idempotency_keys) c(account_id, key) left join idempotency d on d.account_id = c.account_id and d.key = c.key
      where c.key is not null;
      if v_odd > 0 then raise sqlstate 'MT001'; end if;
    end if;

    insert into meter_batches (id, at, balances, unlimited, returned, hold_accounts, holds)
      values (p_batch, v_at, r.balances, r.unlimited, r.returned, r.hold_accounts, r.holds) on conflict (id) do nothing returning * into r;
    if not found then raise sqlstate 'MT002'; end if;
  exception
    when sqlstate 'MT001' then
      perform 1 from credit_accounts where account_id = any (p_accounts) order by account_id for no key update;
      return meter_commit_exact(p_batch, app_now(), p_accounts, p_call_accounts,
        p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests, p_kinds, p_holds, p_lifetimes);
    when sqlstate 'MT002' then
      return meter_recorded(p_batch);
  end;
  foreach v_account in array v_freed loop perform pg_notify('credits_changed', v_account::text); end loop;

  if r.holds is not null then
    insert into credit_holds (id, account_id, key_id, from_credits, from_payg, from_budget, expires_at, charge_as)
    select hold, account_id, key_id, case when account_id = any (r.unlimited) then 0 else cost end, 0, 0, v_at + make_interval(secs => seconds), tool_id
    from unnest(p_call_accounts, p_call_keys, p_costs, p_tools, p_kinds, p_holds, p_lifetimes) c(account_id, key_id, cost, tool_id, kind, hold, seconds)
    where kind = 'hold';
  end if;
  perform meter_record_calls(r, v_alerts, p_sum_accounts, p_sum_keys, p_sum_buckets, p_sum_costs, p_sum_successes, p_sum_failures,
    p_call_accounts, p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests, p_kinds);
  -- A hold is settled once: its id is the key under which a second settlement finds the first.
  insert into idempotency (account_id, key, request, batch, n, at)
  select account_id, hold, hold, p_batch, n, v_at from unnest(p_call_accounts, p_kinds, p_holds) with ordinality c(account_id, kind, hold, n) where kind = 'settle';
  return r;
end $$;
