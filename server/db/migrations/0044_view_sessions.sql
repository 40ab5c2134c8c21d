-- needs: app_now
-- The session of the console that a view was started in: its end ends the view. Null: started on the command line.
alter table support_views add column console_session_hash bytea;
