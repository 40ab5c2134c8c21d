import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { Deps } from './deps.ts'
import { registerAccount } from './features/account/routes.ts'
import { registerAuth } from './features/auth/routes.ts'
import { registerBilling } from './features/billing/routes.ts'
import { registerRest } from './features/data-api/routes.ts'
import { registerDeletion } from './features/deletion/routes.ts'
import { registerDocs } from './features/docs/routes.ts'
import { registerExport } from './features/export/routes.ts'
import { takeKeyFromUrl } from './features/keys/credentials.ts'
import { registerKeys } from './features/keys/routes.ts'
import { createMcpDispatcher } from './features/mcp/dispatcher.ts'
import { registerMcp } from './features/mcp/routes.ts'
import { registerMeterDoor } from './features/meter-door/routes.ts'
import { registerOAuth } from './features/oauth/routes.ts'
import { registerOperator } from './features/operator/routes.ts'
import { registerPlayground } from './features/playground/routes.ts'
import { registerShop } from './features/shop/routes.ts'
import { registerSite } from './features/site/routes.ts'
import { registerSupportView } from './features/support-view/routes.ts'
import { registerTeam } from './features/team/routes.ts'
import { registerUsage } from './features/usage/routes.ts'
import { CallRecord } from './http/call-record.ts'
import { describeIssues } from './http/describe-issues.ts'
import { registerErrorHandlers, sendUnreadable } from './http/error-handler.ts'
import { registerJsonParser } from './http/json-parser.ts'
import { registerLimits } from './http/limits/enforce.ts'
import { BODY_BYTES } from './http/limits/table.ts'
import { rawServer } from './http/raw-server.ts'
import { clientErrorHandler } from './http/refuse-connection.ts'
import { requestIdOf } from './http/request-id.ts'
import { registerRequestLog } from './http/request-log.ts'
import { answerHeaders, registerSecurityHeaders } from './http/security-headers.ts'
import { createRawLane } from './raw-lane.ts'

const HANDLER_TIMEOUT_MS = 30_000

/** Adds a peer of `sandbox/` to the server. Only main.ts and tests know which. */
export type Extension = (app: FastifyInstance) => Promise<void>

/**
 * The whole product as one Fastify instance that is not listening yet. Reads no environment, clock or port.
 * Registration follows the order of this list.
 */
export async function buildApp(deps: Deps, extensions: Extension[] = []): Promise<FastifyInstance> {
  describeIssues()
  let open = true
  const mcp = await createMcpDispatcher(deps)
  const constant = answerHeaders(deps.config)
  const refused = (method: string, status: number): void => deps.metrics?.request({ method, route: 'none', status }, 0)
  const app = Fastify({
    logger: false,
    serverFactory: rawServer({
      lane: createRawLane(deps, mcp),
      isOpen: () => open,
      constant,
      refused,
      maxConnections: deps.config.MAX_CONNECTIONS,
    }),
    clientErrorHandler: clientErrorHandler(constant, refused),
    // The maximum request line, so that an overlong path parameter is rejected by its own rule and name.
    routerOptions: { maxParamLength: 16_384, ignoreDuplicateSlashes: false },
    // A HEAD route would run its GET handler: it could charge a call or burn a one-time link.
    exposeHeadRoutes: false,
    bodyLimit: BODY_BYTES,
    // Fastify's own, which the compilers below replace, are 100 modules.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    requestTimeout: HANDLER_TIMEOUT_MS,
    trustProxy: deps.config.trustProxy.length > 0 ? deps.config.trustProxy : false,
    genReqId: ({ headers }) => requestIdOf(headers),
    // A path that cannot be decoded reaches no route, and so no hook and no error handler.
    frameworkErrors: (_error, request, reply) => {
      const headers = { ...constant }
      new CallRecord(request.id, request.headers).addTo(headers)
      sendUnreadable(request as FastifyRequest, reply.headers(headers) as FastifyReply)
      refused(request.method, reply.statusCode)
    },
    // Removes a key from the URL before anything can log or route it.
    rewriteUrl: (request) => takeKeyFromUrl(request),
    forceCloseConnections: 'idle',
  })
  app.addHook('preClose', async () => {
    open = false
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  registerErrorHandlers(app, deps.log)
  registerJsonParser(app)
  registerRequestLog(app, deps)
  registerSecurityHeaders(app, deps.config)

  for (const extend of extensions) await extend(app)
  registerLimits(app, deps.limits)
  await registerAuth(app, deps)
  await registerAccount(app, deps)
  registerTeam(app, deps)
  registerExport(app, deps)
  registerDeletion(app, deps)
  await registerKeys(app, deps)
  await registerUsage(app, deps)
  await registerBilling(app, deps)
  deps.payments?.register(app, deps)
  await registerMeterDoor(app, deps)
  await registerRest(app, deps)
  await registerMcp(app, deps, mcp)
  await registerPlayground(app, deps, mcp)
  await registerOAuth(app, deps)
  registerShop(app, deps)
  registerOperator(app, deps)
  registerSupportView(app, deps)
  await registerDocs(app, deps)
  await registerSite(app, deps)
  return app
}

function unused(): never {
  throw new Error('A route was added before the compilers of its schemas.')
}
