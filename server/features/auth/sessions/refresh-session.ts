import { type Selectable, sql } from 'kysely'
import type { AuthSessions } from '../../../db/schema.gen.ts'
import { noteSecurityEvent } from '../audit.ts'
import type { AuthDeps, Device } from '../deps.ts'
import { AuthError } from '../errors.ts'
import { decodeRefreshToken } from '../tokens/refresh-token.ts'
import { interval, type SessionOver, sessionOver } from './session-limits.ts'
import { openRefreshKey, type TokenResponse, tokensFor } from './sessions.ts'

/** While a session was refreshed this recently, an older token counts as another tab that was slower. */
const REUSE_WINDOW = '10 seconds'
/** A race is lost only to a successful refresh, after which the token is the parent: usually two rounds suffice. */
const ATTEMPTS = 5
const SHORTEST_TOKEN = 12

export type RefreshDecision = 'advance' | 'repeat' | 'superseded' | 'stolen' | 'not issued'

interface RefreshState {
  current: number
  refreshedRecently: boolean
  /** The operator's limit on the direct parent has passed. */
  parentTooOld?: boolean
  supersededBelow?: number
}

/**
 * What a refresh token with counter `given` means for a session at `current`. The current token advances the session.
 * Its direct parent, whose answer the client may never have received, and any older one inside the reuse window get
 * the current token again. Any other older token may be stolen. Tokens below `supersededBelow` are from
 * before the session verified a second factor and are always refused.
 */
export function decideRefresh(
  given: number,
  { current, refreshedRecently, parentTooOld = false, supersededBelow = 0 }: RefreshState,
): RefreshDecision {
  if (given > current) return 'not issued'
  if (given === current) return 'advance'
  if (given < supersededBelow) return 'superseded'
  return refreshedRecently || (given === current - 1 && !parentTooOld) ? 'repeat' : 'stolen'
}

/** Exchanges a refresh token for new tokens. Never fails because another tab refreshes at the same moment. */
export async function refreshSession(deps: AuthDeps, text: string, device: Device): Promise<TokenResponse> {
  if (text.length < SHORTEST_TOKEN) throw notValid()
  const token = decodeRefreshToken(text)
  // Twelve characters: the form of an older service, from which a client may come.
  if (!token) throw text.length === SHORTEST_TOKEN ? notFound() : notValid()

  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const row = await findSession(deps, token.sessionId)
    if (!row) throw notFound()
    const refreshKey = openRefreshKey(deps, row.id, row.refresh_key)
    if (!token.signedWith(refreshKey)) throw notFound()
    if (row.banned) throw new AuthError(400, 'user_banned', 'Invalid Refresh Token: User Banned')
    if (row.over !== null)
      throw new AuthError(400, 'session_expired', `Invalid Refresh Token: Session Expired${row.over}`)
    const decision = decideRefresh(token.counter, {
      current: row.refresh_counter,
      refreshedRecently: row.refreshed_recently,
      parentTooOld: row.parent_too_old,
      supersededBelow: row.superseded_below,
    })
    if (decision === 'not issued')
      throw new AuthError(400, 'validation_failed', 'Invalid Refresh Token: Not Issued By This Server')
    if (decision === 'superseded') throw alreadyUsed()
    if (decision === 'stolen') {
      if (!(await endSessionAt(deps, row))) continue
      throw alreadyUsed()
    }
    if (decision === 'repeat') await noteSecurityEvent(deps.db.kysely, row.user_id, 'auth.refresh_token_reused', row.id)
    if (decision === 'advance' && !(await advance(deps, row, device))) continue
    const refreshCounter = decision === 'advance' ? row.refresh_counter + 1 : row.refresh_counter
    const tokens = await tokensFor(deps.db.kysely, deps, {
      id: row.id,
      userId: row.user_id,
      aal: row.aal as 'aal1' | 'aal2',
      refreshKey,
      refreshCounter,
    })
    if (!tokens) throw notFound()
    return tokens
  }
  throw new AuthError(
    409,
    'conflict',
    'Too many concurrent token refresh requests on the same session or refresh token',
  )
}

interface RefreshRow
  extends Pick<
    Selectable<AuthSessions>,
    'id' | 'user_id' | 'aal' | 'refresh_key' | 'refresh_counter' | 'superseded_below'
  > {
  refreshed_recently: boolean
  parent_too_old: boolean
  banned: boolean
  over: SessionOver | null
}

function findSession({ config, db }: AuthDeps, id: string): Promise<RefreshRow | undefined> {
  return db.kysely
    .selectFrom('auth.sessions as s')
    .innerJoin('auth.users as u', 'u.id', 's.user_id')
    .select(['s.id', 's.user_id', 's.aal', 's.refresh_key', 's.refresh_counter', 's.superseded_below'])
    .select(sql<boolean>`s.refreshed_at > app_now() - ${REUSE_WINDOW}::interval`.as('refreshed_recently'))
    .select(sql<boolean>`coalesce(u.banned_until > app_now(), false)`.as('banned'))
    .select(
      sql<boolean>`coalesce(s.refreshed_at < app_now() - ${interval(config.AUTH_REFRESH_REUSE_HOURS)}::interval, false)`.as(
        'parent_too_old',
      ),
    )
    .select(sessionOver(config).as('over'))
    .where('s.id', '=', id)
    .executeTakeFirst()
}

/** False when another request advanced the session first. */
async function advance({ db }: AuthDeps, row: RefreshRow, device: Device): Promise<boolean> {
  const { numUpdatedRows } = await db.kysely
    .updateTable('auth.sessions')
    .set({
      refresh_counter: row.refresh_counter + 1,
      refreshed_at: sql`app_now()`,
      user_agent: device.userAgent,
      ip: device.ip,
    })
    .where('id', '=', row.id)
    .where('refresh_counter', '=', row.refresh_counter)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** False when the session moved on meanwhile, which may have made the token acceptable. */
function endSessionAt({ db, log }: AuthDeps, row: RefreshRow): Promise<boolean> {
  return db.kysely.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('auth.sessions')
      .where('id', '=', row.id)
      .where('refresh_counter', '=', row.refresh_counter)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
    await noteSecurityEvent(tx, row.user_id, 'auth.session_ended_by_reuse', row.id)
    log.warn({ userId: row.user_id, sessionId: row.id }, 'an old refresh token was used: the session is ended')
    return true
  })
}

const alreadyUsed = (): AuthError =>
  new AuthError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
const notValid = (): AuthError => new AuthError(400, 'validation_failed', 'Refresh token is not valid')
const notFound = (): AuthError =>
  new AuthError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
