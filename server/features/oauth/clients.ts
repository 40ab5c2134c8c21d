import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { createGuardedFetch } from '../../net/guarded-fetch.ts'
import { OAuthError } from './oauth-error.ts'
import { isAllowedRedirect } from './redirect-uri.ts'

export interface OAuthClient {
  id: string
  name: string
  redirectUris: string[]
}

const MAX_REDIRECTS = 10
const MAX_REDIRECT_CHARACTERS = 4_000
const MAX_DOCUMENT_BYTES = 64 * 1024
const DOCUMENT_TIMEOUT_MS = 5_000
/** Clients ask for consent right after registration. */
const UNUSED = '7 days'

/** A name that cannot mislead: one line, no invisible or reordering characters. */
const name = z
  .string()
  .transform((text) =>
    text
      .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
      .trim()
      .slice(0, 80),
  )
  .refine((text) => text.length > 0)
const redirects = z
  .array(z.string().refine(isAllowedRedirect))
  .min(1)
  .max(MAX_REDIRECTS)
  .refine((uris) => uris.join('').length <= MAX_REDIRECT_CHARACTERS)
const registration = z.object({
  client_name: name.default('MCP client'),
  redirect_uris: redirects,
  token_endpoint_auth_method: z.string().optional(),
})
const document = z.object({
  client_id: z.string(),
  client_name: name.optional(),
  redirect_uris: redirects,
  token_endpoint_auth_method: z.literal('none').optional(),
})

/**
 * Dynamic registration (RFC 7591), which deployed clients still try first. All clients are public and get no secret, so
 * identical registrations share one client: hosted clients register again for each of their users, from a few addresses.
 * Only new clients are stored and limited. A client without a grant is deleted after a week. Throws OAuthError,
 * rate_limited.
 */
export async function registerClient({ db, limits }: Deps, body: unknown, ip: string): Promise<OAuthClient> {
  const parsed = registration.safeParse(body)
  if (!parsed.success) {
    const about = parsed.error.issues[0]?.path[0]
    throw new OAuthError(
      about === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      'Send client_name and redirect_uris: 1 to 10 https addresses, http on localhost, or schemes of installed programs.',
    )
  }
  const { client_name, redirect_uris } = parsed.data
  const client = { id: idOf(client_name, redirect_uris), name: client_name, redirectUris: redirect_uris }
  const known = await db.pool.query('update oauth_clients set created_at = app_now() where id = $1', [client.id])
  if (known.rowCount) return client
  await limits.count('oauth.newClient', { address: ip })
  await db.pool.query(
    `with forgotten as (
       delete from oauth_clients c where created_at < app_now() - interval '${UNUSED}'
         and not exists (select from oauth_grants g where g.client_id = c.id))
     insert into oauth_clients (id, name, redirect_uris) values ($1, $2, $3) on conflict (id) do nothing`,
    [client.id, client.name, client.redirectUris],
  )
  return client
}

/** A hash of the registration, so that an identical one finds the same client. It is not a secret. */
function idOf(clientName: string, redirectUris: string[]): string {
  const facts = JSON.stringify([clientName, redirectUris])
  return `client_${createHash('sha256').update(facts).digest('base64url').slice(0, 32)}`
}

/**
 * Finds a registered client, or reads the document of a client whose id is a URL. `ip` is the caller's. Throws
 * invalid_client, rate_limited.
 */
export async function findClient(deps: Deps, id: string, ip: string): Promise<OAuthClient> {
  if (/^https?:/.test(id)) {
    await deps.limits.count('oauth.clientDocument', { address: ip })
    return readDocument(deps, id)
  }
  const { rows } = await deps.db.pool.query<OAuthClient>(
    'select id, name, redirect_uris as "redirectUris" from oauth_clients where id = $1',
    [id],
  )
  if (!rows[0]) throw new OAuthError('invalid_client', 'This client is not registered here. Register it again.', 401)
  return rows[0]
}

/** Reads a Client ID Metadata Document: the id is its URL, and the document must repeat it. */
async function readDocument({ config, log }: Deps, id: string): Promise<OAuthClient> {
  const refuse = (reason: string) =>
    new OAuthError('invalid_client', `The client document cannot be used: ${reason}`, 401)
  if (!URL.canParse(id) || new URL(id).pathname === '/') throw refuse('its address needs a path.')
  const fetchDocument = createGuardedFetch({
    privateNetworks: config.PLAYGROUND_PRIVATE_NETWORKS === 'on',
    timeoutMs: DOCUMENT_TIMEOUT_MS,
    maxBytes: MAX_DOCUMENT_BYTES,
  })
  const body = await fetchDocument(id, { headers: { accept: 'application/json' } })
    .then(async (answer) => (answer.ok ? ((await answer.json()) as unknown) : null))
    .catch((error: Error) => {
      log.debug({ error: error.message }, 'a client document could not be fetched')
      return null
    })
  const parsed = document.safeParse(body)
  if (!parsed.success) throw refuse('it could not be fetched, or is not one.')
  if (parsed.data.client_id !== id) throw refuse('it names another client_id.')
  return { id, name: parsed.data.client_name ?? new URL(id).hostname, redirectUris: parsed.data.redirect_uris }
}
