import { createHash } from 'node:crypto'
import type { OAuthDiscoveryState, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { Deps } from '../../../deps.ts'
import type { Owner } from '../store.ts'

/** Credentials that the person's playground has for one other server. */
export interface Kept {
  /** Sent with every request to the server's own address, and nowhere else. */
  headers?: Record<string, string>
  client?: StoredOAuthClientInformation
  tokens?: StoredOAuthTokens
  /** The sign-in in progress. */
  verifier?: string
  discovery?: OAuthDiscoveryState
  url?: string
}

/** A connection by name and target: credentials are stored per URL. */
export interface Place extends Owner {
  name: string
  command: string
}

type StoreDeps = Pick<Deps, 'db' | 'secrets'>

const PURPOSE = 'playground_sign_ins.kept'
const STATE_SECONDS = 600
const context = ({ accountId, userId, name }: Place): string => `${accountId}/${userId}/${name}`
const hash = (state: string): Buffer => createHash('sha256').update(state).digest()

export async function readKept({ db, secrets }: StoreDeps, place: Place): Promise<Kept> {
  const { rows } = await db.pool.query<{ kept: Buffer }>(
    'select kept from playground_sign_ins where account_id = $1 and user_id = $2 and name = $3 and command = $4',
    [place.accountId, place.userId, place.name, place.command],
  )
  return rows[0] ? (JSON.parse(secrets.decrypt(PURPOSE, rows[0].kept, context(place))) as Kept) : {}
}

/** `state` starts a sign-in, null ends it, undefined leaves it unchanged. */
export async function writeKept(
  { db, secrets }: StoreDeps,
  place: Place,
  kept: Kept,
  state?: string | null,
): Promise<void> {
  await db.pool.query(
    `insert into playground_sign_ins as s (account_id, user_id, name, command, kept, state_hash, state_until)
     values ($1, $2, $3, $4, $5, $6, app_now() + make_interval(secs => $7))
     on conflict (account_id, user_id, name) do update set command = excluded.command, kept = excluded.kept,
       state_hash = case when $8 then excluded.state_hash else s.state_hash end,
       state_until = case when $8 then excluded.state_until else s.state_until end, changed_at = app_now()`,
    [
      place.accountId,
      place.userId,
      place.name,
      place.command,
      secrets.encrypt(PURPOSE, JSON.stringify(kept), context(place)),
      state ? hash(state) : null,
      STATE_SECONDS,
      state !== undefined,
    ],
  )
}

/** Finds the sign-in with this state, and consumes it. Another person's state is not found. */
export async function takeState({ db }: StoreDeps, owner: Owner, state: string): Promise<Place | null> {
  const { rows } = await db.pool.query<{ name: string; command: string; fresh: boolean }>(
    `update playground_sign_ins s set state_hash = null from
       (select name, state_until > app_now() as fresh from playground_sign_ins
        where account_id = $1 and user_id = $2 and state_hash = $3 for update) found
     where s.account_id = $1 and s.user_id = $2 and s.name = found.name
     returning s.name, s.command, found.fresh`,
    [owner.accountId, owner.userId, hash(state)],
  )
  return rows[0]?.fresh ? { ...owner, name: rows[0].name, command: rows[0].command } : null
}

/** The sign-in page for this server while a sign-in is pending; else null. */
export async function waitingSignIn(deps: StoreDeps, owner: Owner, name: string): Promise<string | null> {
  const { rows } = await deps.db.pool.query<{ command: string }>(
    `select command from playground_sign_ins where account_id = $1 and user_id = $2 and name = $3
       and state_hash is not null and state_until > app_now()`,
    [owner.accountId, owner.userId, name],
  )
  if (!rows[0]) return null
  return (await readKept(deps, { ...owner, name, command: rows[0].command })).url ?? null
}

export async function forgetKept({ db }: StoreDeps, owner: Owner, name: string): Promise<void> {
  await db.pool.query('delete from playground_sign_ins where account_id = $1 and user_id = $2 and name = $3', [
    owner.accountId,
    owner.userId,
    name,
  ])
}
