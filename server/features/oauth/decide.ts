import { randomUUID } from 'node:crypto'
import type { UserContext } from '../../context.ts'
import { lockAccount } from '../account/lock-account.ts'
import { requireManager } from '../account/require-role.ts'
import { addConnectionKey } from '../keys/add-connection-key.ts'
import { mintCredential } from './credentials.ts'
import { answerUrl } from './redirect-uri.ts'
import { takeRequest } from './requests.ts'

/**
 * Approves a client: creates an API key for MCP only, with an optional budget, and a code for the client. Deleting the key
 * ends the connection. Owners and admins only. Returns the URL to redirect to. Throws forbidden, not_found,
 * account_suspended, conflict.
 */
export async function approveRequest(ctx: UserContext, id: string, monthlyCredits: number | null): Promise<string> {
  requireManager(ctx.actor)
  return ctx.deps.db.kysely.transaction().execute(async (tx) => {
    await lockAccount(tx, ctx.actor.accountId)
    const request = await takeRequest(tx, id)
    const keyId = await addConnectionKey(tx, ctx, `${request.client_name} (connected app)`, monthlyCredits)
    const grantId = randomUUID()
    await tx
      .insertInto('oauth_grants')
      .values({
        id: grantId,
        account_id: ctx.actor.accountId,
        user_id: ctx.actor.userId,
        key_id: keyId,
        client_id: request.client_id,
        scope: request.scope,
      })
      .execute()
    const code = await mintCredential(tx, 'code', {
      grantId,
      resource: request.resource,
      redirectUri: request.redirect_uri,
      codeChallenge: request.code_challenge,
    })
    const iss = ctx.deps.config.PUBLIC_URL
    return answerUrl(request.redirect_uri, { code, state: request.state, iss })
  })
}

/** Denies a client. Returns the URL to redirect to. Throws not_found. */
export async function denyRequest({ deps }: UserContext, id: string): Promise<string> {
  const request = await takeRequest(deps.db.kysely, id)
  return answerUrl(request.redirect_uri, {
    error: 'access_denied',
    error_description: 'The user denied the request.',
    state: request.state,
    iss: deps.config.PUBLIC_URL,
  })
}
