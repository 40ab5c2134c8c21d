import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { AuthDeps, Device } from '../deps.ts'
import type { AuthenticationMethod } from '../tokens/access-claims.ts'
import { encodeRefreshToken } from '../tokens/refresh-token.ts'
import { tokenAppMetadata, tokenMetadata } from '../users/metadata.ts'
import { readUser, type UserJson } from '../users/user-json.ts'
import { weakSessionSeconds } from './session-limits.ts'

const KEY_BYTES = 32
const KEY_PURPOSE = 'auth.sessions.refresh_key'

/** The answer of every grant. */
export interface TokenResponse {
  access_token: string
  token_type: 'bearer'
  expires_in: number
  expires_at: number
  refresh_token: string
  user: UserJson
  provider_token?: string
  provider_refresh_token?: string
  weak_password?: { message: string; reasons: string[] }
}

/** A session as far as its tokens depend on it. */
export interface SessionState {
  id: string
  userId: string
  aal: 'aal1' | 'aal2'
  refreshKey: Buffer
  refreshCounter: number
}

/** Starts a session for `userId`, authenticated by `method`, in the caller's transaction. */
export async function beginSession(
  tx: Queryable,
  { secrets }: Pick<AuthDeps, 'secrets'>,
  userId: string,
  method: string,
  device: Device,
): Promise<SessionState> {
  const id = randomUUID()
  const refreshKey = randomBytes(KEY_BYTES)
  await tx
    .insertInto('auth.sessions')
    .values({
      id,
      user_id: userId,
      refresh_key: secrets.encrypt(KEY_PURPOSE, refreshKey.toString('base64'), id),
      user_agent: device.userAgent,
      ip: device.ip,
    })
    .execute()
  await tx.insertInto('auth.session_methods').values({ session_id: id, method }).execute()
  await tx.updateTable('auth.users').set({ last_sign_in_at: sql`app_now()` }).where('id', '=', userId).execute()
  return { id, userId, aal: 'aal1', refreshKey, refreshCounter: 0 }
}

export function openRefreshKey({ secrets }: Pick<AuthDeps, 'secrets'>, sessionId: string, encrypted: Buffer): Buffer {
  return Buffer.from(secrets.decrypt(KEY_PURPOSE, encrypted, sessionId), 'base64')
}

/** A fresh access token and the session's current refresh token. Null if the user was deleted meanwhile. */
export async function tokensFor(
  db: Queryable,
  { accessTokens, config }: Pick<AuthDeps, 'accessTokens' | 'config'>,
  session: SessionState,
): Promise<TokenResponse | null> {
  const user = await readUser(db, session.userId)
  if (!user) return null
  const issuedAt = Math.floor(Date.now() / 1000)
  const { token, expiresAt } = await accessTokens.sign(
    {
      sub: user.id,
      sessionId: session.id,
      email: user.email,
      phone: user.phone,
      role: user.role,
      aal: session.aal,
      amr: await methodsOf(db, session.id),
      appMetadata: tokenAppMetadata(user.app_metadata),
      userMetadata: tokenMetadata(user.user_metadata),
      isAnonymous: user.is_anonymous,
    },
    issuedAt,
    (await weakSessionSeconds(db, config, session.id)) ?? undefined,
  )
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: expiresAt - issuedAt,
    expires_at: expiresAt,
    refresh_token: encodeRefreshToken(session.id, session.refreshCounter, session.refreshKey),
    user,
  }
}

async function methodsOf(db: Queryable, sessionId: string): Promise<AuthenticationMethod[]> {
  const rows = await db
    .selectFrom('auth.session_methods')
    .select(['method', 'at'])
    .where('session_id', '=', sessionId)
    .orderBy('at', 'desc')
    .execute()
  return rows.map(({ method, at }) => ({ method, timestamp: Math.floor(at.getTime() / 1000) }))
}
