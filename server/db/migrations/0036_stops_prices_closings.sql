-- needs: app_now
-- An upstream is stopped by its pause alone.
update upstreams set state = 'paused', changed_at = app_now()
where state = 'published' and 'upstream:' || id in (select name from switches);
delete from switches where name like 'upstream:%';

-- What a tool cost since when, for receipts. Noted by servers when the tools that they serve change.
create table tool_prices (
  tool_id smallint not null,
  since timestamptz not null default app_now(),
  rule jsonb not null,                      -- CreditRule
  text text not null,                       -- as customers read it
  primary key (tool_id, since)
);

-- The sums of operator_daily of all days before a month, by the names of its columns: what is owed needs no more than a month of days.
create table operator_closings (
  month date not null,
  currency text not null,
  source text not null,
  sums jsonb not null,
  primary key (month, currency, source)
);
