-- The running servers, and what each says of the upstreams that it was told to serve. Times are the machine's, not app_now(): they tell
-- whether a process lives.
create table upstream_servers (
  id uuid primary key,
  name text not null,              -- host and process, for the operator
  seen_at timestamptz not null,
  serves jsonb not null            -- by upstream: version, changed (of the row in upstreams, as it was seen), problem
);
