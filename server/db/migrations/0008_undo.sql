-- needs: app_now
-- Changes of a person's access that the link of an email takes back. Only the hash of the link is kept.
create table auth.undo_links (
  link_hash bytea primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  change text not null check (change in ('identity_linked', 'identity_unlinked', 'factor_removed')),
  kept jsonb not null,            -- the row as it was, and the address of the account before the change
  expires_at timestamptz not null default app_now() + interval '72 hours'
);
create index on auth.undo_links (user_id);
create index on auth.undo_links (expires_at);
