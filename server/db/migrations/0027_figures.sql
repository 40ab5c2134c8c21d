-- needs: app_now
-- The figures of the operator's console: docs/decisions/0127-figures-are-folded.md.

-- Money as it came and went, in the transaction that learned of it. Append-only: what a closed month says does not change.
create table money_ledger (
  id bigint generated always as identity primary key,
  at timestamptz not null default app_now(),
  account_id bigint not null references accounts (id),
  cause text not null check (cause in ('payment', 'refund', 'dispute')),
  ref text not null,                        -- the invoice, the top-up without one, or the charge
  topup_id bigint,
  source text not null,                     -- plan:<price id>, pack, payg or other
  currency text not null,
  cents bigint not null check (cents <> 0), -- above 0: received, or won back; below: refunded, or held by a dispute
  prepays boolean not null default false,   -- paid for credits that are granted for it
  voids_since timestamptz                   -- credits that the account lost from then until `at` went back with this money
);
create index on money_ledger (ref);
create index on money_ledger (topup_id) where topup_id is not null;
create index on money_ledger (at);
create index on money_ledger (account_id, at);
create index on money_ledger (id) where cause <> 'payment';

-- What is known from before.
insert into money_ledger (at, account_id, cause, ref, topup_id, source, currency, cents, prepays)
select i.created_at, i.account_id, 'payment', i.id, null, 'plan:' || l.price_id, p.currency, sum(l.cents), bool_and(p.credits > 0 and p.price_cents > 0)
from invoices i join invoice_lines l on l.invoice_id = i.id join plans p using (price_id)
where i.status = 'paid' and l.kind = 'plan' and l.cents <> 0 group by i.id, l.price_id, p.currency;
insert into money_ledger (at, account_id, cause, ref, topup_id, source, currency, cents, prepays)
select i.created_at, i.account_id, 'payment', i.id, i.topup_id,
  case when i.topup_id is not null then 'pack' when b.invoice_id is not null then 'payg' else 'other' end,
  coalesce(l.currency, c.currency, 'usd'), i.paid_cents - coalesce(l.cents, 0), i.topup_id is not null
from invoices i
left join lateral (select min(m.currency) as currency, sum(m.cents)::bigint as cents from money_ledger m where m.ref = i.id) l on true
left join lateral (select p.currency from payg_invoices b join plans p using (price_id) where i.id in (b.invoice_id, b.rest_invoice_id) limit 1) paid on true
left join lateral (select b.invoice_id from payg_invoices b where i.id in (b.invoice_id, b.rest_invoice_id) limit 1) b on true
left join lateral (select coalesce(paid.currency, (select min(k.currency) from credit_packs k)) as currency) c on true
where i.status = 'paid' and i.paid_cents <> coalesce(l.cents, 0);
insert into money_ledger (at, account_id, cause, ref, topup_id, source, currency, cents, prepays)
select coalesce(t.closed_at, t.created_at), t.account_id, 'payment', coalesce(t.invoice_id, 'topup:' || t.id), t.id, 'pack',
  coalesce((select min(k.currency) from credit_packs k), 'usd'), t.cents, true
from topups t where t.status = 'paid' and not exists (select from money_ledger m where m.topup_id = t.id);
insert into money_ledger (at, account_id, cause, ref, source, currency, cents)
select coalesce((select max(e.created_at) from stripe_events e where e.object_id = r.charge_id), app_now()), r.account_id,
  case when exists (select from disputes d where d.charge_id = r.charge_id and d.status not in ('won', 'prevented', 'warning_closed')) then 'dispute' else 'refund' end,
  r.charge_id, coalesce(m.source, 'other'), coalesce(m.currency, 'usd'), -r.reversed_cents
from reversals r
left join lateral (select m.source, m.currency from money_ledger m where m.ref in (
    select i.id from invoices i where i.payment_intent_id = r.payment_intent_id
    union all select 'topup:' || t.id from topups t where t.payment_intent_id = r.payment_intent_id)
  order by m.cents desc limit 1) m on true
where r.reversed_cents <> 0;

-- How far the job has read.
create table operator_folds (
  name text primary key,
  until timestamptz not null
);

-- Credits and money of each UTC day, folded from both ledgers. All sums are of the day; closing figures are sums over days.
create table operator_daily (
  day date not null,
  currency text not null,                   -- '': credits without a price
  source text not null,                     -- plan:<price id>, pack, payg, other; or the kind of a grant without a price
  granted bigint not null default 0,        -- credits
  burned bigint not null default 0,         -- by calls, without what came back
  repaid bigint not null default 0,         -- taken for credits that had been used although refunded
  expired bigint not null default 0,
  taken_back bigint not null default 0,
  received bigint not null default 0,       -- cents
  prepaid bigint not null default 0,        -- of the received ones, those for credits
  refunded bigint not null default 0,
  disputed bigint not null default 0,       -- held or lost, minus won
  sold bigint not null default 0,           -- the money of granted credits
  earned bigint not null default 0,         -- the part of it that burned
  lapsed bigint not null default 0,         -- that expired
  returned bigint not null default 0,       -- of credits taken back with refunded money
  returned_disputed bigint not null default 0, -- with disputed money
  forfeited bigint not null default 0,      -- of other credits taken back
  ungranted bigint not null default 0,      -- prepaid for months that were never granted, once their period is over
  primary key (day, currency, source)
);

-- Grants with money in them, while credits remain. Money and credits start anew when some are taken back.
create table operator_grants (
  source_type text not null,
  source_id text not null,
  source text not null,
  currency text not null,
  money bigint not null check (money >= 0),
  credits bigint not null check (credits > 0),
  remaining bigint not null check (remaining between 0 and credits),
  primary key (source_type, source_id)
);
create index on invoice_lines (period_end) where months > 1;

-- Recurring revenue at the end of a UTC day, in twelfths of a cent a month, so that a year divides exactly.
create table operator_mrr (
  day date not null,
  currency text not null,
  price_id text not null,
  subscriptions bigint not null,
  twelfths bigint not null,
  primary key (day, currency, price_id)
);

-- Calls of each UTC hour by tool and latency bucket. The job reads each row of a call once.
create table operator_tools (
  hour timestamptz not null,
  tool_id smallint not null,
  bucket smallint not null,
  success bigint not null,
  failed bigint not null,
  credits bigint not null,
  payg bigint not null,
  primary key (hour, tool_id, bucket)
);

-- Calls of each account by UTC day, for the last 40 days: top customers, and who is active.
create table operator_accounts (
  day date not null,
  account_id bigint not null,
  success bigint not null,
  failed bigint not null,
  credits bigint not null,
  payg bigint not null,
  charged bigint not null,                  -- calls that cost something
  primary key (day, account_id)
) with (fillfactor = 80);

-- The accounts with the most charged credits of the last seven UTC days, best first.
create table operator_top (
  place smallint primary key,
  account_id bigint not null,
  calls bigint not null,
  failed bigint not null,
  credits bigint not null
);

-- The tools with the most calls of the last 24 hours, best first.
create table operator_top_tools (
  place smallint primary key,
  tool_id smallint not null,
  calls bigint not null,
  failed bigint not null,
  credits bigint not null,
  p95_ms int not null
);

-- Customers by day. `active`: with a charged call; `active_30`: in the 30 days that end with this one.
create table operator_customers (
  day date primary key,
  signed_up bigint not null default 0,
  called bigint not null default 0,         -- of these, with a first call within a day
  paid bigint not null default 0,           -- of these, with a payment within 30 days
  active bigint not null default 0,
  active_30 bigint not null default 0
);
create index on accounts (created_at);
