-- What a form asked for, as an HMAC: a repeated act_id with other values is refused, not taken for the act that was done.
alter table operator_log add column input_mac bytea;
