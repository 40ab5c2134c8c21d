create schema if not exists stripe_sandbox;

-- Every Stripe object as JSON. due_at: when it next acts on its own (renewal, retry, expiry), in seconds of its clock.
create table if not exists stripe_sandbox.objects (
  seq bigint generated always as identity,
  id text primary key,
  type text not null,
  clock text,
  created bigint not null,
  due_at bigint,
  deleted boolean not null default false,
  body jsonb not null
);
create index if not exists objects_by_type on stripe_sandbox.objects (type, seq desc);
create index if not exists objects_by_customer on stripe_sandbox.objects ((body ->> 'customer'), type, seq desc);
create index if not exists objects_due on stripe_sandbox.objects (due_at) where due_at is not null;

-- One row per event, written with the event; the courier posts them.
create table if not exists stripe_sandbox.deliveries (
  id bigint generated always as identity primary key,
  event text not null references stripe_sandbox.objects (id),
  attempts int not null default 0,
  next_at timestamptz not null default now(),
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dropped', 'failed')),
  last_status int
);
-- Databases from before events had a single receiver.
alter table stripe_sandbox.deliveries drop column if exists endpoint;
create index if not exists deliveries_pending on stripe_sandbox.deliveries (next_at) where state = 'pending';

create table if not exists stripe_sandbox.idempotency (
  key text primary key,
  fingerprint text not null,
  status int not null,
  answer jsonb not null,
  request_id text not null,
  created timestamptz not null default now()
);

create table if not exists stripe_sandbox.settings (name text primary key, value text not null);
insert into stripe_sandbox.settings (name, value)
values ('clock_offset', '0'), ('form_secret', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))
on conflict do nothing;
