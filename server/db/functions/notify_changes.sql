-- Notifies running servers of changes to what they cache. In triggers, so that it happens in the transaction of the change
-- and no writer can forget it.
create or replace function notify_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('key_changed', old.id::text);
  return null;
end $$;
create or replace trigger key_changed after update or delete on api_keys for each row execute function notify_key_changed();

create or replace function notify_account_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_changed', new.id::text);
  return null;
end $$;
create or replace trigger account_changed after update of rate_limit_per_minute, suspended_at on accounts
  for each row execute function notify_account_changed();

create or replace function notify_subscriber_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_changed', new.account_id::text);
  return null;
end $$;
create or replace trigger account_changed after insert or update on subscriptions
  for each row execute function notify_subscriber_changed();

-- The access of a user has changed and may have ended. The argument names the column with the user's id.
create or replace function notify_access_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', to_jsonb(old) ->> tg_argv[0]);
  return null;
end $$;
create or replace trigger access_changed after update of role or delete on account_members
  for each row execute function notify_access_changed('user_id');
create or replace trigger access_changed after update of banned_until, deleted_at or delete on auth.users
  for each row execute function notify_access_changed('id');

create or replace function notify_service_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('service_key_changed', old.id::text);
  return null;
end $$;
create or replace trigger service_key_changed after update or delete on service_keys
  for each row execute function notify_service_key_changed();
