-- needs: mailbox_of
-- Finds the people who share a mailbox, for the free plan.
create index profiles_mailbox on profiles (mailbox_of(email)) where email <> '';
