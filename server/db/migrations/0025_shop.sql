-- How the operator names this installation (server/features/shop). A version never changes.
create table shop_versions (
  version integer primary key,
  before integer references shop_versions (version), -- what was served when it was applied, for undo; null: the unnamed shop
  settings jsonb not null,
  created_at timestamptz not null default app_now()
);
-- The version that is served; null: the unnamed shop.
create table shop (
  single boolean primary key default true check (single),
  version integer references shop_versions (version),
  changed_at timestamptz not null default app_now()
);
-- Logos by the hash of their content. They are never deleted: mails that were sent show them.
create table shop_assets (
  hash text primary key,
  type text not null,
  body bytea not null,
  created_at timestamptz not null default app_now()
);
-- Senders of mail that an operator applied. One counts once the code that was mailed to it has come back.
create table shop_senders (
  address text primary key,
  code_hash bytea not null,
  confirmed_at timestamptz
);
