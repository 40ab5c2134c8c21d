-- The ledger is append-only.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only: % is not allowed', tg_table_name, lower(tg_op) using errcode = 'restrict_violation';
end $$;
create or replace trigger credit_ledger_append_only before update or delete or truncate on credit_ledger
  for each statement execute function refuse_change();

-- Any change in the amount of credits, other than spending, moves the alerts: the next charge makes the account due.
create or replace function credits_moved() returns trigger language plpgsql as $$
begin
  update credit_accounts set alert_below = alert_below_unknown() where account_id = new.account_id;
  return null;
end $$;
create or replace trigger credits_moved after insert on credit_ledger for each row when (new.kind <> 'debit') execute function credits_moved();
