-- The console lists payments by state and payer, and its figures count the settled ones by time.
create index on agent_payments (state, id);
create index on agent_payments (payer, id);
create index on agent_payments (decided_at) where state = 'settled';
