-- needs: app_now
-- Products that operators edit (server/features/operator/products). What is sold is in plans and credit_packs, copies of Stripe's
-- catalog; these tables have what operators want it to be.
create table product_drafts (
  product_id text primary key,                       -- Stripe's; of a new product, the one that it will have
  fields jsonb not null,
  base jsonb,                                        -- what was sold when the draft was begun; null: nothing
  row_version int not null default 1,
  edited_by text not null,
  edited_at timestamptz not null default app_now()
);

-- A version never changes.
create table product_versions (
  product_id text not null,
  version int not null,
  fields jsonb,                                      -- null: archived
  published_by text not null,
  reason text not null,
  published_at timestamptz not null default app_now(),
  primary key (product_id, version)
);

-- What Stripe still has to be told. A row is written with what it is for, in one transaction, and done once Stripe has confirmed.
create table product_jobs (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('publish', 'archive', 'retire')),
  product_id text not null,
  version int,                                       -- publish, archive: the product's version
  price_id text,                                     -- retire: a price that nothing new is sold at
  attempts int not null default 0,
  next_attempt_at timestamptz not null default app_now(),
  error text,                                        -- of the last attempt
  created_at timestamptz not null default app_now(),
  done_at timestamptz,
  failed_at timestamptz                              -- Stripe refused it: trying again would not help
);
-- One at a time, so that nothing is published twice.
create unique index on product_jobs (product_id) where kind <> 'retire' and done_at is null and failed_at is null;
create unique index on product_jobs (price_id) where kind = 'retire' and done_at is null;
create index on product_jobs (next_attempt_at) where done_at is null and failed_at is null;
create index on product_jobs (product_id, id);

-- Which product a pack is the price of, and how it is described. Filled by the next reading of the catalog.
alter table credit_packs add column product_id text, add column description text;

-- Customers of a price.
create index on subscriptions (price_id) include (status, past_due_since, provider_status) where status in ('active', 'past_due');
create index on checkouts (price_id) where status = 'open';

-- What the calls of a month were, by account and tool: summed once for each day after it has ended.
create table tool_months (
  month date not null,
  account_id bigint not null,
  tool_id smallint not null,
  calls bigint not null,                             -- successful ones that a price could be asked for
  charged bigint not null,                           -- of them, those that cost something
  credits bigint not null,                           -- pay-as-you-go units too
  primary key (month, account_id, tool_id)
);
create index on tool_months (account_id);
create table tool_days (day date primary key);       -- the days that are in tool_months
