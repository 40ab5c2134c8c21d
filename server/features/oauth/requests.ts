import { randomUUID } from 'node:crypto'
import type { ConsentRequest } from '#contract/oauth-routes.ts'
import type { Queryable } from '../../db/database.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { isUuid } from '../../http/uuid.ts'

const REQUEST_SECONDS = 600

export interface AuthorizationRequest {
  id: string
  client_id: string
  client_name: string
  redirect_uri: string
  code_challenge: string
  state: string | null
  scope: string
  resource: string
}

/** Stores a validated request until the user decides. Returns its id. */
export async function keepRequest(deps: Deps, request: Omit<AuthorizationRequest, 'id'>): Promise<string> {
  const id = randomUUID()
  await deps.db.pool.query(
    `with forgotten as (delete from oauth_requests where expires_at < app_now())
     insert into oauth_requests (id, client_id, client_name, redirect_uri, code_challenge, state, scope, resource, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, app_now() + make_interval(secs => $9))`,
    [
      id,
      request.client_id,
      request.client_name,
      request.redirect_uri,
      request.code_challenge,
      request.state,
      request.scope,
      request.resource,
      REQUEST_SECONDS,
    ],
  )
  return id
}

const gone = () =>
  new AppError('not_found', 'This request was already decided or has expired. Start again from the client.')

/** Throws not_found. */
export async function readRequest(deps: Deps, id: string): Promise<ConsentRequest> {
  const { rows } = isUuid(id)
    ? await deps.db.pool.query<AuthorizationRequest>(
        'select * from oauth_requests where id = $1 and expires_at > app_now()',
        [id],
      )
    : { rows: [] }
  const request = rows[0]
  if (!request) throw gone()
  return {
    clientName: request.client_name,
    clientHost: URL.canParse(request.client_id) ? new URL(request.client_id).host : null,
    redirectHost: hostOf(request.redirect_uri),
    scopes: request.scope.split(' '),
  }
}

/** Deletes and returns the request, so that only the first decision counts. Throws not_found. */
export async function takeRequest(tx: Queryable, id: string): Promise<AuthorizationRequest> {
  const row = isUuid(id)
    ? await tx
        .deleteFrom('oauth_requests')
        .where('id', '=', id)
        .where((where) => where('expires_at', '>', where.fn<Date>('app_now')))
        .returningAll()
        .executeTakeFirst()
    : undefined
  if (!row) throw gone()
  return row
}

/** The host, or the scheme of an installed program. */
function hostOf(uri: string): string {
  const { host, protocol } = new URL(uri)
  return /^https?:$/.test(protocol) ? host : `${protocol}//${host}`
}
