-- An operator's own APIs and MCP servers (server/features/upstreams). Servers serve the published version of each.
create table upstreams (
  id text primary key,
  state text not null default 'draft' check (state in ('draft', 'published', 'paused')),
  published integer,                               -- the version that is served; null: none yet
  created_at timestamptz not null default app_now(),
  changed_at timestamptz not null default app_now(),
  check (state = 'draft' or published is not null)
);
-- A version never changes. Secrets are only named in it.
create table upstream_versions (
  upstream_id text not null references upstreams (id) on delete cascade,
  version integer not null,
  manifest jsonb not null,                         -- as the operator wrote it
  operations jsonb not null,                       -- what can be published, read from the document once
  document bytea not null,                         -- the description itself, compressed (gzip)
  created_at timestamptz not null default app_now(),
  primary key (upstream_id, version)
);
-- The last answer of each operation that did not fit its own description, for the operator.
create table upstream_drift (
  upstream_id text not null references upstreams (id) on delete cascade,
  operation text not null,
  version integer not null,
  problem text not null,                           -- place and rule, never data
  times integer not null default 1,
  seen_at timestamptz not null default app_now(),
  primary key (upstream_id, operation)
);
