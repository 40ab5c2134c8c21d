-- Keys of an operator's gateways and services for /v1/meter. They charge calls of customers, and read nothing.
create table service_keys (
  id int generated always as identity primary key,
  hash bytea not null unique check (octet_length(hash) = 32),  -- SHA-256 of the whole key
  start text not null,                      -- its first characters, to tell keys apart
  upstreams text[] check (cardinality(upstreams) > 0),         -- ids of upstreams whose operations it may charge; null: every operation
  created_at timestamptz not null default app_now(),
  revoked_at timestamptz
);
