-- Forwarded commits (docs/decisions/0115-commits-are-forwarded.md) were in no release.
-- contract: 0.2.0
drop function if exists meter_commit_parcels;
drop function if exists meter_commit_holds_parcels;
drop function if exists meter_note_parcels;
drop function if exists meter_claim_parcel;
drop function if exists meter_keep;
drop function if exists meter_void_part;
-- The view over all buckets is made anew after the migrations.
drop view if exists metering.meter_parcels;
drop table meter_parcels;
