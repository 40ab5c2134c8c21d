-- The tool definitions of a playground server one by one, so that a change can be told by name and be read.

alter table playground_servers
  add column definitions_read jsonb, -- name to SHA-256, as the person has seen them; null: not listed yet
  add column definitions_seen jsonb, -- the same of the latest list
  drop column definitions_hash,
  drop column definitions_changed;
