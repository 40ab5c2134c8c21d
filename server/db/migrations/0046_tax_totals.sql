-- needs: app_now
-- Taxes of each UTC day, folded from the ledger of money and the taxes of invoices.
create table operator_taxes (
  day date not null,
  currency text not null,
  tax jsonb not null,                       -- country, state, label, percent and reason, each null where there is none
  net bigint not null default 0,            -- minor units sold with this tax, without it
  net_returned bigint not null default 0,   -- of those, refunded or held by disputes
  collected bigint not null default 0,
  returned bigint not null default 0,
  primary key (day, currency, tax)
);
