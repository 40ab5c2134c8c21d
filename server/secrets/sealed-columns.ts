/** One column that holds ciphertexts of `createSecrets`. Names and expressions are SQL, written here and nowhere else. */
export interface SealedColumn {
  /** What it holds, for the operator. */
  what: string
  table: string
  /** The primary key. */
  key: readonly string[]
  /** The ciphertext; null: none. */
  value: string
  /** The context that it was encrypted with. */
  context: string
  /** Stores the ciphertext $1. */
  assignment: string
}

const column = (what: string, table: string, name: string, context: string, key: readonly string[]): SealedColumn => ({
  what,
  table,
  key,
  value: name,
  context,
  assignment: `${name} = $1::bytea`,
})

/**
 * Every kind of secret that the database keeps encrypted, by the purpose under which it is encrypted. `Secrets` accepts no
 * other purpose, so that nothing is left out when KEYS_SECRET changes.
 */
export const sealedColumns = {
  'api-key': [column('API keys', 'api_keys', 'ciphertext', 'public_id::text', ['id'])],
  'auth.signing_keys': [column('signing keys', 'auth.signing_keys', 'private_jwk', 'kid::text', ['kid'])],
  'auth.sessions.refresh_key': [column('sessions', 'auth.sessions', 'refresh_key', 'id::text', ['id'])],
  'auth.mfa_factors.secret': [
    column('second factors', 'auth.mfa_factors', 'secret', 'id::text', ['id']),
    {
      what: 'removed second factors',
      table: 'auth.undo_links',
      key: ['link_hash'],
      value: "(kept #>> '{factor,secret}')::bytea",
      context: "kept #>> '{factor,id}'",
      assignment: String.raw`kept = jsonb_set(kept, '{factor,secret}', to_jsonb('\x' || encode($1::bytea, 'hex')))`,
    },
  ],
  'auth.flow_states.provider_secrets': [
    column('sign-ins in progress', 'auth.flow_states', 'provider_secrets', 'id::text', ['id']),
  ],
  'auth.flow_states.outcome': [column('sign-in codes', 'auth.flow_states', 'outcome', 'id::text', ['id'])],
  'mail_outbox.message': [column('waiting emails', 'mail_outbox', 'message', 'id::text', ['id'])],
  'playground_sign_ins.kept': [
    column('playground sign-ins', 'playground_sign_ins', 'kept', "account_id || '/' || user_id || '/' || name", [
      'account_id',
      'user_id',
      'name',
    ]),
  ],
  'kept_answers.answer': [
    column('answers kept for retries', 'kept_answers', 'answer', "account_id || '/' || key", ['account_id', 'key']),
  ],
  'upstream_secrets.secret': [column('credentials for upstreams', 'upstream_secrets', 'secret', 'name', ['name'])],
  'alert_webhooks.secret': [column('alert webhooks', 'alert_webhooks', 'secret', 'account_id::text', ['account_id'])],
} satisfies Record<string, readonly SealedColumn[]>

export type SealedPurpose = keyof typeof sealedColumns

/** Each column with its purpose. */
export const everySealedColumn: readonly (SealedColumn & { purpose: SealedPurpose })[] = Object.entries(
  sealedColumns,
).flatMap(([purpose, columns]) => columns.map((one) => ({ ...one, purpose: purpose as SealedPurpose })))
