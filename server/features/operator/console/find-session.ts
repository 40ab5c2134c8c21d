import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { OperatorRole } from '#contract/operator/route.ts'
import type { Deps } from '../../../deps.ts'
import { isConsoleOpen } from '../../auth/is-console-open.ts'
import type { OperatorContext } from './context.ts'
import { hashOf, readCookie } from './cookie.ts'

/** A second factor counts for acts on money and people for this time. */
export const FRESH_MINUTES = 10
/** A factor that was added by whoever has the sign-in alone: its owner has this time to notice the mail about it. */
const NEW_FACTOR_HOURS = 24

/**
 * The session of a request's cookie, or null: no cookie, expired, ended, or its person is no operator any more. The role is read
 * each time, so that a change counts at once. Where the sign-in is ours, its end ends this session too.
 */
export async function findSession(deps: Deps, request: FastifyRequest): Promise<OperatorContext | null> {
  const secret = readCookie(request, isHttps(deps))
  if (!secret) return null
  const { rows } = await sql<{
    id: number
    email: string
    role: OperatorRole
    expiresAt: Date
    proved: boolean
    fresh: boolean
    countsFrom: Date | null
  }>`
    select o.id, o.email, o.role, s.expires_at as "expiresAt", s.proved_at is not null as proved,
      coalesce(s.proved_at > app_now() - make_interval(mins => ${FRESH_MINUTES}), false) as fresh,
      case when s.factor_since > coalesce(o.factors_let_until, '-infinity') and s.factor_since > app_now() - make_interval(hours => ${NEW_FACTOR_HOURS})
        then s.factor_since + make_interval(hours => ${NEW_FACTOR_HOURS}) end as "countsFrom"
    from operator_sessions s join operators o on o.id = s.operator_id
    where s.hash = ${hashOf(secret)} and ${isConsoleOpen(deps)}`.execute(deps.db.kysely)
  const found = rows[0]
  if (!found) return null
  const proof = found.fresh ? 'fresh' : found.proved ? 'stale' : 'read_only'
  return {
    deps,
    operator: { id: found.id, email: found.email, role: found.role },
    session: {
      secret,
      expiresAt: found.expiresAt,
      secondFactor: isLaptop(deps) ? 'not_needed' : proof,
      factorCountsFrom: isLaptop(deps) ? null : found.countsFrom,
    },
    input: null,
    requestId: request.id,
    ip: request.ip,
  }
}

export const isHttps = ({ config }: Deps): boolean => config.PUBLIC_URL.startsWith('https:')

/** The sandbox by default on this machine: anyone here may be anyone, so a second factor would protect nothing. */
export const isLaptop = ({ config }: Pick<Deps, 'config'>): boolean => config.sandboxByDefault
