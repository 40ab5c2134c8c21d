-- The commit of one call that holds credits: the hold is returned and the call is decided, in one transaction. If the hold
-- has already ended, the call is decided on what the account has.
create or replace function meter_commit_held(
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
