import { createHash, randomBytes, randomInt } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { AuthOneTimeTokens } from '../../../db/schema.gen.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import type { Challenge } from '../challenge.ts'
import { clearFlows } from '../providers/flows.ts'

export type Purpose =
  | 'confirmation'
  | 'recovery'
  | 'email_change_current'
  | 'email_change_new'
  | 'reauthentication'
  | 'phone_confirmation'
  | 'phone_change'

export type OneTimeToken = Omit<Selectable<AuthOneTimeTokens>, 'purpose'> & { purpose: Purpose }

export interface NewToken {
  userId: string
  purpose: Purpose
  /** The address or number that gets it. */
  relatesTo: string
  /** The method of a session that starts with the link and a challenge. */
  method: string
  challenge?: Challenge | null
  clearsUnproven?: boolean
  /** Six digits that were already sent; absent: new ones are made. */
  code?: string
}

/** What is sent: six digits to type, and the opaque part of a link. Neither is stored. */
export interface SentToken {
  code: string
  linkToken: string
}

const CODE_PURPOSE = 'auth.one_time_tokens.code'
const CODE_LIFE = '10 minutes'
const LINK_LIFE = '1 hour'
/** Wrong guesses until a code is invalid. */
const ATTEMPTS = 5
const LINK_BYTES = 32

/** Makes a code and a link that are independent of each other; they replace those sent before for this purpose. */
export async function issueToken(tx: Queryable, secrets: Secrets, token: NewToken): Promise<SentToken> {
  const code = token.code ?? randomCode()
  const linkToken = `${token.challenge ? 'pkce_' : ''}${randomBytes(LINK_BYTES).toString('base64url')}`
  const facts = {
    relates_to: token.relatesTo,
    code_hash: secrets.mac(CODE_PURPOSE, codeText(token.userId, token.purpose, code)),
    code_expires_at: sql<Date>`app_now() + ${CODE_LIFE}::interval`,
    attempts: 0,
    link_hash: hashLink(linkToken),
    link_expires_at: sql<Date>`app_now() + ${LINK_LIFE}::interval`,
    code_challenge: token.challenge?.codeChallenge ?? null,
    code_challenge_method: token.challenge?.codeChallengeMethod ?? null,
    method: token.method,
    clears_unproven: token.clearsUnproven ?? false,
    created_at: sql<Date>`app_now()`,
  }
  await tx
    .insertInto('auth.one_time_tokens')
    .values({ user_id: token.userId, purpose: token.purpose, ...facts })
    .onConflict((conflict) => conflict.columns(['user_id', 'purpose']).doUpdateSet(facts))
    .execute()
  return { code, linkToken }
}

/**
 * Counts one guess at a user's codes and returns the token that it matches, still to be taken. Outside the caller's
 * transaction, so that a rollback does not undo the count.
 */
export async function guessCode(
  db: Queryable,
  secrets: Secrets,
  userId: string,
  purposes: Purpose[],
  code: string,
  relatesTo?: string,
): Promise<OneTimeToken | null> {
  const tried = await db
    .updateTable('auth.one_time_tokens')
    .set((set) => ({ attempts: set('attempts', '+', 1) }))
    .where('user_id', '=', userId)
    .where('purpose', 'in', purposes)
    .where('attempts', '<', ATTEMPTS)
    .where('code_expires_at', '>', sql<Date>`app_now()`)
    .$if(relatesTo !== undefined, (tokens) => tokens.where('relates_to', '=', relatesTo!))
    .returningAll()
    .execute()
  const hit = tried.find((token) => secrets.isMac(CODE_PURPOSE, codeText(userId, token.purpose, code), token.code_hash))
  return (hit as OneTimeToken | undefined) ?? null
}

/** The token of a link, still to be taken; null when it is unknown, used or expired. */
export async function findByLink(db: Queryable, linkToken: string): Promise<OneTimeToken | null> {
  const found = await db
    .selectFrom('auth.one_time_tokens')
    .selectAll()
    .where('link_hash', '=', hashLink(linkToken))
    .where('link_expires_at', '>', sql<Date>`app_now()`)
    .executeTakeFirst()
  return (found as OneTimeToken | undefined) ?? null
}

/** Takes a token, in the caller's transaction: only one of several parallel callers gets true. */
export async function takeToken(tx: Queryable, { id, code_hash }: OneTimeToken): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('auth.one_time_tokens')
    .where('id', '=', id)
    // A token that was replaced meanwhile keeps its row.
    .where('code_hash', '=', code_hash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** After a proof or a change of access, all other codes and links of the user are invalid, and sign-ins in progress. */
export async function clearTokens(tx: Queryable, userId: string): Promise<void> {
  await tx.deleteFrom('auth.one_time_tokens').where('user_id', '=', userId).execute()
  await clearFlows(tx, userId)
}

export const randomCode = (): string => String(randomInt(1_000_000)).padStart(6, '0')

const codeText = (userId: string, purpose: string, code: string): string => `${userId}:${purpose}:${code}`

const hashLink = (linkToken: string): Buffer => createHash('sha256').update(linkToken).digest()
