-- Who reads the payment provider for a customer, an account or the catalog. The fence rises with each holder: what an earlier one
-- still writes is refused. Times are the machine's, not app_now(): a lease measures a process, not a subscription.
create table billing_leases (
  name text primary key,
  fence bigint not null default 1,
  until timestamptz not null
);
