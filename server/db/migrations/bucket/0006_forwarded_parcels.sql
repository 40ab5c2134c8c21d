-- Calls that one server process sent to another to commit: docs/decisions/0115-commits-are-forwarded.md.
create table meter_parcels (
  id uuid primary key,
  at timestamptz not null,
  places text[] not null default '{}',             -- per batch with calls of it: 'batch entry:n:account[:hold],...'
  claimed boolean not null default false           -- its sender wants no more of it committed
);
create index on meter_parcels using brin (at);
