-- The answer of append-only tables: see bucket/credit_ledger.sql.
create or replace function refuse_change(p_table text, p_change text) returns void language plpgsql as $$
begin
  raise exception '% is append-only: % is not allowed', p_table, p_change using errcode = 'restrict_violation';
end $$;
