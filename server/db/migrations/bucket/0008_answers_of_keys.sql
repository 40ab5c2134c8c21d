-- A digest of the answer that a key was charged for: a repeat must have the same. Null: an earlier release charged it, or
-- a repeat may get any answer.
alter table idempotency add column answer uuid;
