-- Prices in several currencies: docs/decisions/0133-an-account-pays-in-one-currency.md. `null` as a currency: the price's own.

-- The other currencies of a price: {"eur": {"priceCents": 1700, "unitAmountDecimal": "1700"}}, in minor units.
alter table plans add column currency_options jsonb not null default '{}';
alter table credit_packs add column currency_options jsonb not null default '{}';

alter table subscriptions add column currency text;
alter table checkouts add column currency text;
alter table topups add column currency text;
alter table invoices add column currency text;
alter table auto_topups add column currency text;                  -- of the monthly cap
alter table account_preferences add column spend_cap_currency text;
alter table payg_invoices add column least_cents bigint not null default 100; -- the monthly minimum when it was billed

-- What the account last chose to pay in; null: it has not paid yet.
alter table billing_customers add column currency text;

update billing_customers b set currency = (
  select m.currency from money_ledger m where m.account_id = b.account_id and m.cause = 'payment' order by m.id desc limit 1);
update topups t set currency = (select m.currency from money_ledger m where m.topup_id = t.id order by m.id limit 1);
update invoices i set currency = coalesce(
  (select m.currency from money_ledger m where m.ref = i.id order by m.id limit 1),
  (select p.currency from subscriptions s join plans p using (price_id) where s.id = i.subscription_id),
  (select p.currency from invoice_lines l join plans p using (price_id) where l.invoice_id = i.id limit 1),
  (select min(p.currency) from plans p));
