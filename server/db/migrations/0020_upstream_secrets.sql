-- Credentials for an operator's upstreams, encrypted under KEYS_SECRET. Manifests name them as stored:<name>.
create table upstream_secrets (
  name text primary key,
  secret bytea not null,
  revision uuid not null default gen_random_uuid(), -- another one for each value, so that servers notice; the same when it is encrypted again
  created_at timestamptz not null default app_now(),
  changed_at timestamptz not null default app_now()
);
