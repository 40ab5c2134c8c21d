-- The days whose rows were moved from usage_events to a file: docs/decisions/0094-old-rows-as-parquet.md.
create table usage_archives (
  day date primary key,
  file text not null,                              -- its path in the archive
  bytes bigint not null,
  digest text not null,                            -- SHA-256 of the rows: server/features/archive/day-totals.ts
  rows bigint not null,
  success bigint not null,
  from_credits bigint not null,
  from_payg bigint not null,
  archived_at timestamptz not null default app_now()
);
