-- Special values of credit_accounts.alert_below, in one place. Immutable, so PostgreSQL folds them into the plans that use them.

-- Not computed yet: any charge makes the account due. The largest integer that a JSON number holds exactly.
create or replace function alert_below_unknown() returns bigint language sql immutable parallel safe as $$ select 9007199254740991 $$;

-- No charge crosses it: the account is due already, or has no alert left.
create or replace function alert_below_none() returns bigint language sql immutable parallel safe as $$ select -1::bigint $$;

-- The account's last commit crossed its alert: meter_commit uses this value internally to mark the accounts to note.
-- The next commit sets alert_below_none() instead.
create or replace function alert_below_crossed() returns bigint language sql immutable parallel safe as $$ select -2::bigint $$;
