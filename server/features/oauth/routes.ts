import type { FastifyInstance, FastifyReply } from 'fastify'
import { oauthRoutes as routes } from '#contract/oauth-routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { isUnstorable } from '../../http/error-handler.ts'
import { isRateLimited } from '../../http/errors.ts'
import { refuseDeepJson } from '../../http/json-depth.ts'
import { sendPlainPage } from '../../http/plain-page.ts'
import { authorize } from './authorize.ts'
import { registerClient } from './clients.ts'
import { approveRequest, denyRequest } from './decide.ts'
import { beginDeviceRequest } from './device/begin.ts'
import { approveDevice, denyDevice, readDeviceRequest } from './device/decide.ts'
import { resourceMetadata, serverMetadata } from './endpoints.ts'
import { exchangeToken, revokeToken } from './exchange.ts'
import { OAuthError } from './oauth-error.ts'
import { readRequest } from './requests.ts'

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'content-type, mcp-protocol-version, authorization',
  'access-control-allow-methods': 'GET, POST',
}

/** The authorization server for MCP clients: OAuth 2.1 with PKCE, consent after our own sign-in, no cookies. */
export async function registerOAuth(app: FastifyInstance, deps: Deps): Promise<void> {
  serve(app, deps, routes.getConsentRequest, async ({ input }) => ({
    request: await readRequest(deps, input.params.id),
  }))
  serve(app, deps, routes.approveConsentRequest, async ({ ctx, input }) => ({
    redirectTo: await approveRequest(ctx, input.params.id, input.body.monthlyCredits),
  }))
  serve(app, deps, routes.denyConsentRequest, async ({ ctx, input }) => ({
    redirectTo: await denyRequest(ctx, input.params.id),
  }))
  serve(app, deps, routes.findDeviceRequest, async ({ ctx, input }) => ({
    request: await readDeviceRequest(ctx, input.body.code),
  }))
  serve(app, deps, routes.approveDevice, async ({ ctx, input }) => {
    await approveDevice(ctx, input.body.code, input.body.monthlyCredits)
    return { approved: true as const }
  })
  serve(app, deps, routes.denyDevice, async ({ ctx, input }) => {
    await denyDevice(ctx, input.body.code)
    return { denied: true as const }
  })
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error: Error & { statusCode?: number; code?: unknown }, request, reply) => {
      if (error instanceof OAuthError) return sendError(reply, error)
      if (isRateLimited(error)) {
        reply.header('retry-after', String(error.detail.retryAfterSeconds))
        return sendError(reply, new OAuthError('temporarily_unavailable', error.message, 429))
      }
      if (isUnstorable(error))
        return sendError(reply, new OAuthError('invalid_request', 'The request contains a zero character.'))
      if (error.statusCode && error.statusCode < 500)
        return sendError(reply, new OAuthError('invalid_request', 'The request could not be read.', error.statusCode))
      deps.log.error({ requestId: request.id, error: error.stack }, 'oauth request failed')
      return sendError(reply, new OAuthError('server_error', 'Something went wrong on our side.', 500))
    })
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers({ ...CORS, 'cache-control': 'no-store' })
    })
    registerPublic(scope, deps)
  })
}

function registerPublic(scope: FastifyInstance, deps: Deps): void {
  for (const path of ['', '/mcp'])
    scope.get(`/.well-known/oauth-protected-resource${path}`, async () =>
      resourceMetadata(deps.config, deps.shop.current()),
    )
  scope.get('/.well-known/oauth-authorization-server', async () => serverMetadata(deps.config))
  scope.get('/oauth/authorize', async (request, reply) => {
    try {
      return reply.redirect(await authorize(deps, new URLSearchParams(request.url.split('?')[1] ?? ''), request.ip))
    } catch (error) {
      const page = request.headers.accept?.includes('text/html') ? errorPage(error) : null
      // Programs that try this address get JSON from the error handler.
      if (!page) throw error
      return sendPlainPage(reply.code(page.status).headers(page.headers), deps.shop.current().name, page)
    }
  })
  scope.post('/oauth/register', async (request, reply) => {
    const client = await registerClient(deps, parseJson(String(request.body ?? '')), request.ip)
    return reply.code(201).send({
      client_id: client.id,
      client_name: client.name,
      redirect_uris: client.redirectUris,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })
  scope.post('/oauth/device_authorization', async (request) => {
    const form = new URLSearchParams(String(request.body ?? ''))
    return beginDeviceRequest(deps, (name) => form.get(name) ?? '', request.ip)
  })
  scope.post('/oauth/token', async (request) => {
    const form = new URLSearchParams(String(request.body ?? ''))
    return exchangeToken(deps, (name) => form.get(name) ?? '')
  })
  scope.post('/oauth/revoke', async (request, reply) => {
    await revokeToken(deps, new URLSearchParams(String(request.body ?? '')).get('token') ?? '')
    return reply.code(200).send()
  })
  for (const url of [
    '/oauth/register',
    '/oauth/device_authorization',
    '/oauth/token',
    '/oauth/revoke',
    '/.well-known/*',
  ])
    scope.options(url, async (_request, reply) => reply.code(204).send())
}

/** What a person reads whose browser cannot be sent back to the app; null: an unexpected error. */
function errorPage(error: unknown) {
  if (error instanceof OAuthError)
    return {
      status: error.status,
      headers: {},
      title: 'This app cannot be connected',
      about: `${error.message} You were not sent back to the app, because it could not be verified.`,
    }
  if (!isRateLimited(error)) return null
  const headers = { 'retry-after': String(error.detail.retryAfterSeconds) }
  return { status: 429, headers, title: 'Too many requests', about: error.message }
}

const sendError = (reply: FastifyReply, { status, code, message }: OAuthError): FastifyReply =>
  reply.code(status).send({ error: code, error_description: message })

function parseJson(text: string): unknown {
  try {
    refuseDeepJson(text)
    return JSON.parse(text)
  } catch {
    return null
  }
}
