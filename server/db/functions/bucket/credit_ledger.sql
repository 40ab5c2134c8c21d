-- The ledger is append-only. By rules, because Citus distributes no table with triggers. No rule can refuse truncate.
create or replace rule append_only_update as on update to credit_ledger do instead select refuse_change('credit_ledger', 'update');
create or replace rule append_only_delete as on delete to credit_ledger do instead select refuse_change('credit_ledger', 'delete');
