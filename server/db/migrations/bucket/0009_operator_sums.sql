-- For the figures of the operator's console. Calls of all accounts of the bucket, by UTC hour: usage_fold adds what is pending.
create table usage_totals (
  hour timestamptz primary key,
  success bigint not null,
  failed bigint not null,
  refused bigint not null,
  from_credits bigint not null,
  from_payg bigint not null
);
insert into usage_totals (hour, success, failed, refused, from_credits, from_payg)
select hour, sum(success), sum(failed), sum(refused), sum(from_credits), sum(from_payg) from usage_open group by 1;
-- The job that folds figures reads the rows of the last minutes, once.
create index on credit_ledger using brin (at) with (pages_per_range = 16);
create index on usage_events using brin (at) with (pages_per_range = 16);
