-- The playground: which MCP servers a person is connected to, tickets for the event stream, events on their way.

-- A row is a connection. Nothing is open between calls: each call opens a client of its own.
create table playground_servers (
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  name text not null check (char_length(name) between 1 and 100),
  command text not null,          -- the operator's id of the server, or an https address; empty: our own server
  protocol_version text not null, -- as negotiated when it was connected
  definitions_hash bytea,         -- SHA-256 of the tool definitions last seen
  definitions_changed boolean not null default false,
  connected_at timestamptz not null default app_now(),
  primary key (account_id, user_id, name)
);

-- Opens one event stream within a minute, once.
create table playground_tickets (
  hash bytea primary key,         -- SHA-256
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  expires_at timestamptz not null
);

-- Kept until every instance has had the time to pass it on.
create unlogged table playground_events (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  user_id uuid not null,
  payload text not null,          -- the event as JSON
  at timestamptz not null default app_now()
);
create index on playground_events (at);
