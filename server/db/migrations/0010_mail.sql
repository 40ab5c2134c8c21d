-- Mail that waits to be sent. A row is written in the transaction of the act that causes it, and deleted once the mail
-- server has taken it: no mail of an act that was rolled back, none lost by a crash.
create table mail_outbox (
  id uuid primary key,                      -- also the Message-ID, so that a repeated delivery can be recognised
  message bytea not null,                   -- encrypted: it may hold sign-in codes
  attempts int not null default 0,
  next_attempt_at timestamptz not null default app_now(),
  expires_at timestamptz not null,
  created_at timestamptz not null default app_now()
);
create index on mail_outbox (next_attempt_at);
