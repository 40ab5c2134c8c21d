-- While Citus moves a bucket, it publishes its changes. Rows of these tables have no primary key, so each is told by all of its columns.
alter table usage_pending replica identity full;
do $$ declare p regclass; begin
  for p in select inhrelid::regclass from pg_inherits where inhparent = 'usage_events'::regclass loop
    execute format('alter table %s replica identity full', p);
  end loop;
end $$;
