-- needs: app_now
-- What the operator's console searches and lists: one index for each kind of term and each order. `text_pattern_ops` serves
-- prefixes in every collation.
create index accounts_by_name on accounts (lower(name) text_pattern_ops, id);
create index accounts_by_age on accounts (created_at, id);
create index accounts_suspended on accounts (id) where suspended_at is not null;
create index profiles_by_email on profiles (lower(email) text_pattern_ops);
create index profiles_by_domain on profiles (split_part(lower(email), '@', 2) text_pattern_ops);
create index profiles_by_name on profiles (lower(full_name) text_pattern_ops);
create index api_keys_by_start on api_keys (start text_pattern_ops, id);
create index invoices_by_number on invoices (upper(number) text_pattern_ops);
create index topups_by_payment on topups (payment_intent_id);
create index stripe_events_by_object on stripe_events (object_id);
create index subscriptions_by_price on subscriptions (price_id, account_id);
create index subscriptions_active on subscriptions (account_id) where status = 'active';
create index subscriptions_unpaid on subscriptions (account_id) where status not in ('active', 'canceled', 'incomplete_expired');
create index subscriptions_trialing on subscriptions (account_id) where provider_status = 'trialing';
create index alert_deliveries_by_account on alert_deliveries (account_id, next_attempt_at desc);
