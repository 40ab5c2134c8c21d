-- Money that moves by itself: automatic top-ups, bills for usage, and what customers are told about it.

-- Where an automatic top-up stands while it is open; null: the charge is being made.
alter table topups add column phase text check (phase in ('processing', 'action'));
-- The card that was refused: another one lifts the suspension, news of the same one do not.
alter table auto_topups add column suspended_card text;

-- What was mailed about billing, so that each thing is told once.
create table billing_notices (
  account_id bigint not null references accounts (id),
  kind text not null,
  ref text not null,
  at timestamptz not null default app_now(),
  primary key (account_id, kind, ref)
);

-- The invoice of its own that brings what is missing where the period's invoice was final before it was counted.
alter table payg_invoices add column rest_invoice_id text;

create index on credit_ledger (account_id, at);

-- Lets what remains of a grant end earlier than it was to; what should have ended already ends now.
create function credit_shorten(p_grant bigint, p_expires_at timestamptz) returns void language plpgsql as $$
declare
  v_account bigint;
begin
  select account_id into strict v_account from credit_grants where id = p_grant;
  perform 1 from credit_accounts where account_id = v_account for no key update;
  update credit_grants set expires_at = p_expires_at where id = p_grant and state <> 'closed' and expires_at > p_expires_at;
  if not found then return; end if;
  update credit_accounts set due_at = least(due_at, p_expires_at) where account_id = v_account;
  perform credit_settle(v_account, app_now());
  perform pg_notify('credits_changed', v_account::text);
end $$;

create index on subscriptions (current_period_end) where status = 'active';
