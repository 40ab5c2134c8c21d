-- needs: app_now
-- The playground: MCP servers that users have connected, tickets for the event stream, and pending events.

-- A row is a connection. Nothing stays open between calls: each call opens its own client.
create table playground_servers (
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  name text not null check (char_length(name) between 1 and 100),
  command text not null,          -- the operator's id of the server, or an https address; empty: our own server
  protocol_version text not null, -- as negotiated on connection
  connected_at timestamptz not null default app_now(),
  definitions_read jsonb,         -- tool name to SHA-256 of its definition, as the user has seen them; null: not listed yet
  definitions_seen jsonb,         -- the same for the latest list
  primary key (account_id, user_id, name)
);

-- Opens one event stream within a minute, once.
create table playground_tickets (
  hash bytea primary key,         -- SHA-256
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  expires_at timestamptz not null
);

-- Kept until every server has had time to deliver it.
create unlogged table playground_events (
  id bigint generated always as identity primary key,
  account_id bigint not null,
  user_id uuid not null,
  payload text not null,          -- the event as JSON
  at timestamptz not null default app_now()
);
create index on playground_events (at);

-- Access to external MCP servers: what the user supplied, and what the OAuth sign-in returned.
create table playground_sign_ins (
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  name text not null check (char_length(name) between 1 and 100),
  command text not null,          -- the server it is for; a connection of this name to any other server gets none of it
  kept bytea not null,            -- headers, client, tokens and the sign-in in progress as JSON, encrypted
  state_hash bytea unique,        -- SHA-256 of the state of the sign-in in progress; null: none
  state_until timestamptz,
  changed_at timestamptz not null default app_now(),
  primary key (account_id, user_id, name)
);
