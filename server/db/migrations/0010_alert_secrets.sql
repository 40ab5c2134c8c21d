-- The signing secret itself, encrypted: derived from the salt alone, it would change with KEYS_SECRET.
alter table alert_webhooks add column secret bytea;
