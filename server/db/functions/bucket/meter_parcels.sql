-- Parcels: calls that another server process forwarded, as entries of batches of this one. The protocol:
-- docs/decisions/0115-commits-are-forwarded.md.
--
-- Error codes raised here:
--   MT003  the sender of a parcel has claimed it: the batch must not take effect

-- In the transaction of a batch, after its commit function: which parcels have entries in it, and where. Again with the same
-- batch, nothing is refused: a batch that has taken effect before the claim stays.
create or replace function meter_note_parcels(p_batch uuid, p_parcels uuid[], p_places text[]) returns void language plpgsql as $$
begin
  insert into meter_parcels as m (id, at, places)
  select id, app_now(), array[p_batch || ' ' || place] from unnest(p_parcels, p_places) t(id, place) order by id
  on conflict (id) do update set places = m.places || excluded.places where not m.claimed;
  -- Not by the count of rows: on Citus, that of such a statement includes those that were not changed.
  if exists (
    select from unnest(p_parcels, p_places) t(id, place) join meter_parcels m using (id)
    where m.claimed and array_position(m.places, p_batch || ' ' || place) is null
  ) then raise exception 'a forwarded call was claimed by its sender' using errcode = 'MT003'; end if;
end $$;

-- meter_commit for a batch with entries of parcels.
create or replace function meter_commit_parcels(
  p_batch uuid, p_accounts bigint[], p_account_costs bigint[],
  p_sum_accounts bigint[], p_sum_keys bigint[], p_sum_buckets smallint[], p_sum_costs bigint[], p_sum_successes int[], p_sum_failures int[],
  p_call_accounts bigint[], p_call_keys bigint[], p_costs int[], p_successes boolean[], p_tools smallint[], p_durations int[],
  p_idempotency_keys uuid[], p_requests uuid[], p_parcels uuid[], p_places text[]
) returns meter_batches language plpgsql as $$
declare r meter_batches;
begin
  r := meter_commit(p_batch, p_accounts, p_account_costs, p_sum_accounts, p_sum_keys, p_sum_buckets, p_sum_costs, p_sum_successes, p_sum_failures,
    p_call_accounts, p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests);
  perform meter_note_parcels(p_batch, p_parcels, p_places);
  return r;
end $$;

-- The same for meter_commit_holds.
create or replace function meter_commit_holds_parcels(
  p_batch uuid, p_accounts bigint[],
  p_sum_accounts bigint[], p_sum_keys bigint[], p_sum_buckets smallint[], p_sum_costs bigint[], p_sum_successes int[], p_sum_failures int[],
  p_call_accounts bigint[], p_call_keys bigint[], p_costs int[], p_successes boolean[], p_tools smallint[], p_durations int[],
  p_idempotency_keys uuid[], p_requests uuid[], p_kinds text[], p_holds uuid[], p_lifetimes int[], p_parcels uuid[], p_places text[]
) returns meter_batches language plpgsql as $$
declare r meter_batches;
begin
  r := meter_commit_holds(p_batch, p_accounts, p_sum_accounts, p_sum_keys, p_sum_buckets, p_sum_costs, p_sum_successes, p_sum_failures,
    p_call_accounts, p_call_keys, p_costs, p_successes, p_tools, p_durations, p_idempotency_keys, p_requests, p_kinds, p_holds, p_lifetimes);
  perform meter_note_parcels(p_batch, p_parcels, p_places);
  return r;
end $$;

-- From now on nothing more of the parcel is committed; waits for a commit that is under way. Returns what was. Repeatable.
create or replace function meter_claim_parcel(p_parcel uuid) returns text[] language sql as $$
  insert into meter_parcels as m (id, at, claimed) values (p_parcel, app_now(), true)
  on conflict (id) do update set claimed = true returning places
$$;

-- Before a call is answered from a batch of another process: marks its charge like one from which a repeat was answered, so that
-- meter_void leaves it in place. Returns the batch; voided: nothing is charged. Repeatable.
create or replace function meter_keep(p_batch uuid, p_accounts bigint[], p_ns smallint[]) returns meter_batches language plpgsql as $$
declare r meter_batches;
begin
  perform 1 from credit_accounts where account_id = any (p_accounts) order by account_id for no key update;
  select * into r from meter_batches where id = p_batch;
  if r.voided is distinct from false then return r; end if;
  update idempotency i set replayed = true from unnest(p_accounts, p_ns) t(account_id, n)
  where i.account_id = t.account_id and i.batch = p_batch and i.n = t.n;
  insert into idempotency (account_id, key, request, batch, n, at, replayed)
  select e.account_id, gen_random_uuid(), gen_random_uuid(), p_batch, e.n, e.at, true
  from unnest(p_accounts, p_ns) t(account_id, n) join usage_events e on e.account_id = t.account_id and e.at = r.at and e.batch = p_batch and e.n = t.n
  where e.success and not exists (select from idempotency i where i.account_id = e.account_id and i.batch = p_batch and i.n = e.n);
  return r;
end $$;
