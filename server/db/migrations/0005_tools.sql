-- Small numbers that stand for tool names in usage rows. A name keeps its number for ever, also when its tool is gone.
create table tools (
  id smallint generated always as identity primary key,
  name text not null unique
);
