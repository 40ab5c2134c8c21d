-- The period of a monthly plan that contains p_at. Counted in UTC from the anchor each time, so that a plan started on
-- January 31 ends on the last day of February and on March 31.
create or replace function plan_period(p_anchor timestamptz, p_at timestamptz, out period_start timestamptz, out period_end timestamptz)
language plpgsql stable as $$
declare
  v_anchor timestamp := p_anchor at time zone 'UTC';
  v_at timestamp := p_at at time zone 'UTC';
  n int := (extract(year from v_at) - extract(year from v_anchor)) * 12 + extract(month from v_at) - extract(month from v_anchor);
begin
  if v_anchor + make_interval(months => n) > v_at then n := n - 1; end if;
  period_start := (v_anchor + make_interval(months => n)) at time zone 'UTC';
  period_end := (v_anchor + make_interval(months => n + 1)) at time zone 'UTC';
end $$;

-- The start of month p_month of a period that started at p_start, counted in UTC.
create or replace function plan_month(p_start timestamptz, p_month int) returns timestamptz language sql immutable as $$
  select ((p_start at time zone 'UTC') + make_interval(months => p_month)) at time zone 'UTC'
$$;
