-- needs: app_now
-- What the console shows of deliveries and health, and the switches for a bad day.

-- What became of each mail. Never its text, which may hold codes, links and invitations.
create table mail_log (
  id uuid primary key,                      -- of the mail in mail_outbox
  kind text not null,                       -- invitation, code, invoice.failed, ...
  recipient text not null check (recipient = lower(recipient)),
  ref text,                                 -- what it is about, where it can be sent again: an invitation's public id
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
  attempts int not null default 0,
  error text,                               -- the kind of the failure, never the mail server's words, which may quote
  created_at timestamptz not null default app_now()
);
create index on mail_log (state, created_at desc, id desc);
create index on mail_log (recipient);
create index on mail_log (created_at);

alter table alert_deliveries add column created_at timestamptz not null default app_now();
update alert_deliveries set created_at = coalesce(done_at, next_attempt_at);
create index alert_deliveries_failed on alert_deliveries (created_at desc, id desc) where done_at is not null and error is not null;
create index alert_deliveries_open on alert_deliveries (created_at desc, id desc) where done_at is null;
create index alert_deliveries_done on alert_deliveries (created_at desc, id desc) where done_at is not null and error is null;

create index stripe_events_failed on stripe_events (received_at desc, id desc) where dead_at is not null and processed_at is null;
create index stripe_events_open on stripe_events (received_at desc, id desc) where dead_at is null and processed_at is null;
create index stripe_events_done on stripe_events (received_at desc, id desc) where processed_at is not null;

-- Calls that brought no result, by tool and cause. Counted by each server, a second at a time; no rows of calls are read.
create table failed_calls (
  hour timestamptz not null,
  tool text not null,
  cause text not null,                      -- code of the error that the caller got
  calls bigint not null,
  last_at timestamptz not null,
  primary key (hour, tool, cause)
);

-- What needs attention, as last seen; a row is gone when its cause is. `mark` changes with what is behind the finding, and an
-- acknowledgment counts for one mark.
create table attention_findings (
  key text primary key,
  mark text not null,
  since timestamptz not null,
  mailed_at timestamptz,
  acknowledged_by text,
  acknowledged_at timestamptz,
  acknowledged_mark text
);

-- The last run of checks that take long, and what they said.
create table check_runs (
  name text primary key check (name in ('doctor', 'invariants', 'billing invariants')),
  ran_at timestamptz not null,
  lines jsonb not null                      -- [{level, text}]
);

-- One row a day, for growth.
create table database_sizes (
  day date primary key,
  bytes bigint not null
);

-- Backups and restore drills that commands of this installation made.
create table backup_runs (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('backup', 'drill')),
  at timestamptz not null default app_now(),
  ok boolean not null,
  detail text not null
);
create index on backup_runs (kind, id desc);

-- Switches for a bad day: sales, banner, upstream:<id>. No row: off.
create table switches (
  name text primary key,
  setting jsonb not null default '{}',
  set_by text not null,
  reason text not null,
  set_at timestamptz not null default app_now()
);

create index subscriptions_past_due on subscriptions (past_due_since) where past_due_since is not null;
create index disputes_open on disputes (id) where status not in ('won', 'lost', 'warning_closed', 'prevented');
