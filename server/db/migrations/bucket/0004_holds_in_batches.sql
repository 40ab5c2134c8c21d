-- Holds are entries of a batch beside calls: docs/decisions/0022-holds-are-unsettled-charges.md.
alter table credit_holds add column charge_as smallint;   -- an expired hold is charged as a call of this tool; null: released
alter table meter_batches add column returned int[];      -- per entry: credits that came back from its hold; null: no holds
alter table meter_batches add column hold_accounts bigint[]; -- the holds that the batch made, so that meter_void ends them
alter table meter_batches add column holds uuid[];
