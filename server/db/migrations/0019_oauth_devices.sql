-- Device authorization (RFC 8628): what a program without a browser asked for, until it has fetched its tokens.
create table oauth_device_requests (
  hash bytea primary key,                   -- SHA-256 of the device code
  user_code text not null unique,           -- 8 letters, as a person types them
  client_id text not null,
  scope text not null,
  resource text not null,
  address text not null,                    -- of the program, shown to the person who decides
  interval_seconds int not null,            -- between two polls; grows when the program polls too fast
  polled_at timestamptz,
  denied_at timestamptz,
  grant_id uuid references oauth_grants (id) on delete cascade,
  created_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  constraint device_is_decided_once check (denied_at is null or grant_id is null)
);
create index on oauth_device_requests (expires_at);
create index on oauth_device_requests (grant_id) where grant_id is not null;
