-- What a variable price counted: rows, units or KiB, rounded up to whole ones. 0: a fixed price, nothing to count, or more than fits.
-- Null: an earlier release recorded the call. The rows keep their size: the column takes what was padding.
alter table usage_events add column units int;
