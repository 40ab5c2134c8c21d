-- The time in every rule; never now(). Tests move it by one row in app_clock, whose offset then stands in the function itself: it
-- reads no table, because the functions of a bucket may run on another node.
create or replace function public.app_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;

create or replace function public.choose_clock() returns trigger language plpgsql as $choose$
declare
  v_text text := coalesce(
    (select format(' select clock_timestamp() + interval %L ', offset_by) from public.app_clock), ' select clock_timestamp() ');
begin
  if v_text <> (select prosrc from pg_proc where oid = 'public.app_now()'::regprocedure) then
    execute format('create or replace function public.app_now() returns timestamptz language sql volatile as %L', v_text);
  end if;
  return null;
end $choose$;
create or replace trigger choose_clock after insert or update or delete or truncate on public.app_clock
  for each statement execute function public.choose_clock();
alter table public.app_clock enable always trigger choose_clock;
-- A clock that was moved before this text was applied stays moved.
update public.app_clock set offset_by = offset_by;
