import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AuthError } from '../errors.ts'

/**
 * What a route requires of the calling session.
 *
 * - `none`: nobody is signed in yet, or something else in the request is the proof.
 * - `service key`: an admin token (admin/require-admin.ts).
 * - `session`: any session. Only what a user needs before entering the code, and signing out.
 * - `second factor`: if the user has a second factor, a session that verified it (aal2).
 * - `recent second factor`: the same, with a code entered in the last ten minutes.
 *
 * The routes of the product API (`contract/`) all ask for the second factor: tokens/access-tokens.ts.
 */
export type Assurance = 'none' | 'service key' | 'session' | 'second factor' | 'recent second factor'

export interface AssuranceRow {
  needs: Assurance
  /** Status and text of the error, if the protocol's clients expect another than 403. */
  refusal?: readonly [status: number, message: string]
}

const none = { needs: 'none' } as const
const admin = { needs: 'service key' } as const

/** Every route below /auth/v1. One without a row keeps the server from starting. */
export const assurance: Record<string, AssuranceRow> = {
  'GET /settings': none,
  'GET /health': none,
  'GET /.well-known/jwks.json': none,
  'GET /authorize': none,
  'GET /callback': none,
  'POST /callback': none,
  // `link_identity` asks for `linking` below.
  'POST /token': none,
  'POST /signup': none,
  'POST /otp': none,
  'POST /magiclink': none,
  'POST /recover': none,
  'POST /resend': none,
  'GET /verify': none,
  'POST /verify': none,
  // The link of a mail is the proof.
  'GET /undo': none,
  'POST /undo': none,
  'POST /sso': none,
  'GET /sso/saml/metadata': none,
  'POST /sso/saml/acs': none,
  'GET /user': { needs: 'session' },
  'PUT /user': {
    needs: 'second factor',
    refusal: [401, 'AAL2 session is required to update email or password when MFA is enabled.'],
  },
  'GET /reauthenticate': { needs: 'second factor' },
  // `scope=others` and `scope=global` reach stronger sessions only with the second factor: sessions/logout.ts.
  'POST /logout': { needs: 'session' },
  'GET /user/identities/authorize': { needs: 'recent second factor' },
  'DELETE /user/identities/{id}': { needs: 'recent second factor' },
  'POST /factors': {
    needs: 'recent second factor',
    refusal: [403, 'AAL2 required to enroll a new factor'],
  },
  'POST /factors/{id}/challenge': { needs: 'session' },
  'POST /factors/{id}/verify': { needs: 'session' },
  // A verified factor asks for `recent second factor`: delete-factor.ts.
  'DELETE /factors/{id}': { needs: 'session' },
  'GET /admin/users': admin,
  'POST /admin/users': admin,
  'GET /admin/users/{id}': admin,
  'PUT /admin/users/{id}': admin,
  'DELETE /admin/users/{id}': admin,
  'GET /admin/users/{id}/factors': admin,
  'DELETE /admin/users/{id}/factors/{factorId}': admin,
  'POST /admin/generate_link': admin,
  'POST /invite': admin,
}

/** What linking asks for on a route that may also do something else. */
export const linking: AssuranceRow = { needs: 'recent second factor' }

/** Refuses to register a route of this scope that has no row. */
export function requireAssuranceRows(scope: FastifyInstance): void {
  scope.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'OPTIONS' && one !== 'HEAD') rowOf(one, url)
  })
}

/** The row of the route that a request reached. */
export const assuranceOf = ({ method, routeOptions }: FastifyRequest): AssuranceRow =>
  rowOf(method, routeOptions.url ?? '')

function rowOf(method: string, url: string): AssuranceRow {
  const name = `${method} ${url.replace(/^\/auth\/v1/, '').replaceAll(/:(\w+)/g, '{$1}')}`
  const row = assurance[name]
  if (!row) throw new Error(`${name} does not say what it asks of a session. Give it a row in factors/assurance.ts.`)
  return row
}

interface Proof {
  aal: 'aal1' | 'aal2'
  /** Whether the user has a verified second factor. */
  enrolled: boolean
  /** Whether the session gave it in the last ten minutes. */
  recent: boolean
}

/** Throws insufficient_aal if the session does not meet the row's requirement. */
export function requireAssurance({ needs, refusal }: AssuranceRow, { aal, enrolled, recent }: Proof): void {
  if (!enrolled || needs === 'session' || needs === 'none' || needs === 'service key') return
  if (aal === 'aal2' && (recent || needs === 'second factor')) return
  const [status, message] = refusal ?? [
    403,
    needs === 'second factor'
      ? 'Enter the code of your second factor to continue.'
      : 'Enter a current code of your second factor to continue.',
  ]
  throw new AuthError(status, 'insufficient_aal', message)
}
