-- The time in every rule; never now(). Tests move it by one row in app_clock.
create or replace function app_now() returns timestamptz language sql volatile
  as $$ select clock_timestamp() + coalesce((select offset_by from app_clock), interval '0') $$;
