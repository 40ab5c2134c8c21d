-- needs: app_now
-- What a first entry to the console needs, and since when a second factor counts there: docs/decisions/0134-first-entry-and-new-factors.md.

-- AUTH_AUTOCONFIRM took an address for theirs without a proof: strangers may know this account's password. Never taken back.
alter table auth.users add column email_assumed boolean not null default false;
alter table auth.mfa_factors add column verified_at timestamptz; -- the first time
update auth.mfa_factors set verified_at = created_at where status = 'verified';

alter table operators
  add column entry_hash bytea,              -- SHA-256 of the code in the link of the first entry
  add column entry_until timestamptz,
  add column factor_seen_at timestamptz,    -- the first entry with a second factor; used where another auth service keeps factors
  add column factors_let_until timestamptz; -- factors added until then count at once, others after a day
update operators set factors_let_until = app_now(), factor_seen_at = app_now() where user_id is not null;

alter table operator_sessions add column factor_since timestamptz; -- since when the person has had the factor that they proved
update operator_sessions set factor_since = proved_at;
