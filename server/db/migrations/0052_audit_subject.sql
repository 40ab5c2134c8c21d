-- Whose access it was, where somebody else changed it: then the actor is who did it. Null: the actor's own.
alter table audit_log add column subject uuid;
create index on audit_log (subject, id desc) where subject is not null;
create index on audit_log (actor, id desc) where account_id is null;

-- Whether a session was told of the same keys a short time ago.
create index on audit_log (account_id, id desc) where action in ('key.created', 'key.rotated', 'key.revealed');
