import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

export type CredentialKind = 'code' | 'access' | 'refresh'

/** The prefix of access tokens. API keys start with fm_. */
export const ACCESS_PREFIX = 'fmat_'
const prefixes: Record<CredentialKind, string> = { code: 'fmac_', access: ACCESS_PREFIX, refresh: 'fmrt_' }
export const ACCESS_SECONDS = 3600
const lives: Record<CredentialKind, number> = { code: 60, access: ACCESS_SECONDS, refresh: 30 * 24 * 3600 }

export interface Minted {
  grantId: string
  /** The audience. */
  resource: string
  redirectUri?: string
  codeChallenge?: string
}

/** Creates a random credential and stores its hash. Also deletes expired ones. */
export async function mintCredential(
  db: Queryable,
  kind: CredentialKind,
  { grantId, resource, redirectUri, codeChallenge }: Minted,
): Promise<string> {
  const value = prefixes[kind] + randomBytes(32).toString('base64url')
  await db
    .with('forgotten', (cte) =>
      cte.deleteFrom('oauth_credentials').where('expires_at', '<', sql<Date>`app_now() - interval '1 day'`),
    )
    .insertInto('oauth_credentials')
    .values({
      hash: hashCredential(value),
      grant_id: grantId,
      kind,
      resource,
      redirect_uri: redirectUri ?? null,
      code_challenge: codeChallenge ?? null,
      expires_at: sql`app_now() + make_interval(secs => ${lives[kind]})`,
    })
    .execute()
  return value
}

export const hashCredential = (value: string): Buffer => createHash('sha256').update(value).digest()
