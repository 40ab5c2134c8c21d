-- What a person may ask of their account: its log, a copy of everything, its end.

-- Sign-ins and the like belong to a person, not to a workspace.
create index on audit_log (actor, id desc) where account_id is null;

create table data_exports (
  id bigint generated always as identity primary key,
  public_id uuid not null unique default gen_random_uuid(),
  user_id uuid not null references profiles (user_id),
  status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
  attempts int not null default 0,
  started_at timestamptz,    -- of the last attempt: another one begins some minutes after a crash
  requested_at timestamptz not null default app_now(),
  ready_at timestamptz,
  expires_at timestamptz,
  bytes bigint
);
create unique index on data_exports (user_id) where status = 'pending';
create index on data_exports (user_id, id desc);

-- The zip in pieces, so that neither making nor sending one needs it whole in memory.
create table data_export_parts (
  export_id bigint not null references data_exports (id) on delete cascade,
  n int not null,
  data bytea not null,
  primary key (export_id, n)
);

-- The end of an account: asked for, due, done. A deleted person keeps an empty row, since bookkeeping refers to it.
alter table profiles
  add column deletion_requested_at timestamptz,
  add column deletion_due_at timestamptz,
  add column deleted_at timestamptz,
  add constraint deletion_has_a_day check ((deletion_requested_at is null) = (deletion_due_at is null));
create index on profiles (deletion_due_at) where deletion_due_at is not null and deleted_at is null;
