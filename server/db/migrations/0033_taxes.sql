-- needs: app_now
-- Taxes: docs/decisions/0132-taxes-are-computed-at-the-provider.md. Everything here is empty while TAXES is off.

-- Where a customer is, as the payment provider has it, and whether tax can be computed for it there.
alter table billing_customers add column name text, add column address jsonb, add column tax_location text;

-- Customers' tax IDs, copies of the payment provider's.
create table tax_ids (
  id text primary key,
  account_id bigint not null references accounts (id),
  type text not null,                                -- eu_vat, gb_vat, ...
  value text not null,
  country text,
  state text not null,                               -- pending, verified, unverified, unavailable
  added_at timestamptz not null default app_now()
);
create index on tax_ids (account_id, added_at);

-- What of an invoice is tax: in total, and on top of its prices. taxes: a line for each rate and reason; null: none was to be computed.
alter table invoices add column tax_cents bigint not null default 0, add column added_tax_cents bigint not null default 0,
  add column taxes jsonb;

-- What a top-up costs with its tax, once that is known. `cents` is the price of its packs.
alter table topups add column total_cents bigint;

-- exclusive: tax is added to the price; inclusive: it is part of it; null: not set.
alter table plans add column tax_behavior text, add column tax_code text;
alter table credit_packs add column tax_behavior text, add column tax_code text;

-- Why the payment provider stopped computing the tax of a subscription; null: it did not.
alter table subscriptions add column tax_off text;
create index subscriptions_tax_off on subscriptions (id) where tax_off is not null and ended_at is null;
