-- Whether a session was sent the same keys a short time ago, now also for lists.
create index audit_log_disclosed on audit_log (account_id, id desc)
  where action in ('key.created', 'key.rotated', 'key.revealed', 'key.listed');
drop index audit_log_account_id_id_idx1;
