-- The mailbox that an address delivers to: without a plus part; Gmail also ignores dots and has a second domain.
-- An index uses it: a change of the rule needs a migration that rebuilds the index.
create or replace function mailbox_of(address text) returns text language sql immutable parallel safe as $$
  select case when domain in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com' else name || '@' || domain end
  from (select regexp_replace(split_part(lower(address), '@', 1), '^(.+?)\+.*$', '\1') as name, split_part(lower(address), '@', 2) as domain) parts
$$;
