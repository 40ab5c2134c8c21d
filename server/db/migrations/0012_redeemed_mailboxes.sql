-- needs: mailbox_of
-- The mailbox that redeemed a free plan, as a hash: its owner may have another address by now.
alter table plan_redemptions add column mailbox_hash text;
update plan_redemptions r set mailbox_hash = encode(sha256(convert_to(mailbox_of(p.email), 'UTF8')), 'hex')
  from account_members m join profiles p on p.user_id = m.user_id
  where m.account_id = r.account_id and m.role = 'owner' and p.email <> '' and r.kind = 'free';
create index plan_redemptions_mailbox on plan_redemptions (mailbox_hash) where mailbox_hash is not null;
