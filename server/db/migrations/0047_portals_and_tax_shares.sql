-- Portal configurations at the payment provider, by what they offer. They replace two columns of billing_settings, which earlier releases use.
create table portal_configurations (
  offer text primary key,   -- all, none, exclusive, inclusive
  id text not null,
  print text not null       -- fingerprint of what it offers
);
insert into portal_configurations
select 'all', portal_configuration_id, portal_print from billing_settings
where portal_configuration_id is not null and portal_print is not null;

-- Where an invoice has several taxes and credit notes say how much of each: what a line of the ledger is of each, in the invoice's order.
-- Null: its tax is divided in proportion.
alter table money_ledger add column tax_shares jsonb;
