-- A security key or passkey as second factor.
alter table auth.mfa_factors drop constraint mfa_factors_factor_type_check;
alter table auth.mfa_factors add constraint mfa_factors_factor_type_check
  check (factor_type in ('totp', 'phone', 'webauthn'));
alter table auth.mfa_factors add column credential jsonb; -- id, public key, signature counter; webauthn only
alter table auth.mfa_challenges add column ceremony jsonb; -- what the answer must be made for; webauthn only
