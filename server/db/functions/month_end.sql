-- The end of the UTC month that contains p_at. Not by adding a month to a timestamptz: that counts in the session's time zone.
create or replace function month_end(p_at timestamptz) returns timestamptz language sql immutable as $$
  select (date_trunc('month', p_at at time zone 'UTC') + interval '1 month') at time zone 'UTC'
$$;
