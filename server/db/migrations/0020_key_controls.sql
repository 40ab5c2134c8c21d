-- What an owner may set for one key beside its scopes and expiry; its credit budget is the meter's (meter_keys).
alter table api_keys
  add column rate_limit_per_minute int check (rate_limit_per_minute > 0),   -- null: only the account's limit
  add column allowed_networks cidr[] check (cardinality(allowed_networks) > 0), -- null: every address
  add column previous_hash bytea unique check (octet_length(previous_hash) = 32), -- of the value before a rotation
  add column previous_until timestamptz,                                    -- and how long it is still taken
  add constraint previous_whole check ((previous_hash is null) = (previous_until is null));

-- Who used a key last. Apart from api_keys, whose every change is told to all instances. Written now and then, not per call.
create table key_last_use (
  key_id bigint primary key references api_keys (id),
  at timestamptz not null,
  address inet not null,
  client text not null
) with (fillfactor = 70);
