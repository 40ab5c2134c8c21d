-- Creates the partition of one UTC day and moves in the rows that the default partition caught. Returns true if created now.
-- Built separately and then attached, so that writers of other days do not wait.
create or replace function usage_partition_create(p_day date) returns boolean language plpgsql as $$
declare
  v_name text := 'usage_events_' || to_char(p_day, 'YYYYMMDD');
  v_from timestamptz := p_day::timestamp at time zone 'UTC';
  v_to timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
begin
  perform pg_advisory_xact_lock(hashtext(current_schema() || '.usage_partition_create'));
  if to_regclass(v_name) is not null then return false; end if;
  execute format('create table %I (like usage_events including constraints including indexes)', v_name);
  execute format('alter table %I replica identity full', v_name);
  lock table usage_events_default in access exclusive mode;
  execute format('with moved as (delete from usage_events_default where at >= %L and at < %L returning *) insert into %I select * from moved', v_from, v_to, v_name);
  execute format('alter table usage_events attach partition %I for values from (%L) to (%L)', v_name, v_from, v_to);
  return true;
end $$;
