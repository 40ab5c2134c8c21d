-- The console's search finds a payment by its transaction.
create index on agent_payments (reference) where reference is not null;
