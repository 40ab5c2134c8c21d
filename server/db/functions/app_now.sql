-- The time in every rule; never now(). Tests move it by one row in app_clock: while that row exists, and only then,
-- app_now() reads it. In production it reads no table, because the functions of a bucket may run on another node.
create or replace function public.app_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;

create or replace function public.choose_clock() returns trigger language plpgsql as $choose$
declare
  v_moved boolean := exists (select from public.app_clock);
begin
  if v_moved = (select prosrc ~ 'app_clock' from pg_proc where oid = 'public.app_now()'::regprocedure) then return null; end if;
  if v_moved then
    create or replace function public.app_now() returns timestamptz language sql volatile
      as $$ select clock_timestamp() + coalesce((select offset_by from public.app_clock), interval '0') $$;
  else
    create or replace function public.app_now() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;
  end if;
  return null;
end $choose$;
create or replace trigger choose_clock after insert or update or delete or truncate on public.app_clock
  for each statement execute function public.choose_clock();
alter table public.app_clock enable always trigger choose_clock;
-- A clock that was moved before this text was applied stays moved.
update public.app_clock set offset_by = offset_by;
