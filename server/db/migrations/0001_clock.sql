-- The test clock: at most one row, written by tests only. app_now() adds it to the time of day.
create table app_clock (
  only_row boolean primary key default true check (only_row),
  offset_by interval not null
);
