-- The other tables of metered calls are in server/db/migrations/bucket.

-- Numbers for tool names in usage rows. A name keeps its number, even after its tool is gone.
create table tools (
  id smallint generated always as identity primary key,
  name text not null unique
);
