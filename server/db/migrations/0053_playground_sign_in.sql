-- How the playground is let in at a foreign MCP server: what the person gave for it, and what its sign-in (OAuth) gave.

create table playground_sign_ins (
  account_id bigint not null references accounts (id),
  user_id uuid not null references profiles (user_id),
  name text not null check (char_length(name) between 1 and 100),
  command text not null,   -- what it is for; a connection of this name to anything else gets none of it
  kept bytea not null,     -- headers, client, tokens and the sign-in under way as JSON, encrypted
  state_hash bytea unique, -- SHA-256 of the state of the sign-in under way; null: none is
  state_until timestamptz,
  changed_at timestamptz not null default app_now(),
  primary key (account_id, user_id, name)
);
