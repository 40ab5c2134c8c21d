import { randomUUID } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { Deps } from './deps.ts'
import { registerAccount } from './features/account/routes.ts'
import { registerAuth } from './features/auth/routes.ts'
import { registerBilling } from './features/billing/routes.ts'
import { registerDeletion } from './features/deletion/routes.ts'
import { registerDocs } from './features/docs/routes.ts'
import { registerExport } from './features/export/routes.ts'
import { registerKeys } from './features/keys/routes.ts'
import { registerOAuth } from './features/oauth/routes.ts'
import { registerPlayground } from './features/playground/routes.ts'
import { registerSite } from './features/site/routes.ts'
import { registerTeam } from './features/team/routes.ts'
import { takeKeyFromUrl } from './features/tools/credentials.ts'
import { createMcpDispatcher } from './features/tools/mcp/dispatcher.ts'
import { registerMcp } from './features/tools/mcp.ts'
import { createRawLane } from './features/tools/raw-lane.ts'
import { registerRest } from './features/tools/rest.ts'
import { registerUsage } from './features/usage/routes.ts'
import { registerErrorHandlers, sendUnreadable } from './http/error-handler.ts'
import { registerJsonParser } from './http/json-parser.ts'
import { speakPlainly } from './http/plain-issues.ts'
import { rawServer } from './http/raw-server.ts'
import { registerRequestLog } from './http/request-log.ts'
import { registerSecurityHeaders, securityHeaders } from './http/security-headers.ts'

const BODY_LIMIT_BYTES = 1_048_576
const HANDLER_TIMEOUT_MS = 30_000

/** Adds a peer of `sandbox/` to the server; only main.ts and tests know which. */
export type Extension = (app: FastifyInstance) => Promise<void>

/**
 * The whole product as one Fastify instance that is not listening yet. Knows no environment, clock or port.
 * The order of registration is the order of this list.
 */
export async function buildApp(deps: Deps, extensions: Extension[] = []): Promise<FastifyInstance> {
  speakPlainly()
  let open = true
  const mcp = createMcpDispatcher(deps)
  const constant = securityHeaders(deps.config)
  const app = Fastify({
    logger: false,
    serverFactory: rawServer({
      lane: createRawLane(deps, mcp),
      isOpen: () => open,
      constant,
    }),
    // As long as a request line may be, so that a path parameter that is too long is refused by its own rule and name.
    routerOptions: { maxParamLength: 16_384, ignoreDuplicateSlashes: false },
    // A HEAD route would run its GET handler: it could charge a call or burn a one-time link.
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: HANDLER_TIMEOUT_MS,
    trustProxy: deps.config.trustProxy.length > 0 ? deps.config.trustProxy : false,
    genReqId: () => randomUUID(),
    // An address that cannot be decoded reaches no route, and so no hook and no error handler.
    frameworkErrors: (_error, request, reply) =>
      void sendUnreadable(request as FastifyRequest, reply.headers(constant) as FastifyReply),
    // Before anything can log or route it, a key in the query leaves the URL.
    rewriteUrl: (request) => takeKeyFromUrl(request),
    forceCloseConnections: 'idle',
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.addHook('preClose', async () => {
    open = false
  })
  registerErrorHandlers(app, deps.log)
  registerJsonParser(app)
  registerRequestLog(app, deps.log)
  registerSecurityHeaders(app, deps.config)

  for (const extend of extensions) await extend(app)
  await registerAuth(app, deps)
  await registerAccount(app, deps)
  registerTeam(app, deps)
  registerExport(app, deps)
  registerDeletion(app, deps)
  await registerKeys(app, deps)
  await registerUsage(app, deps)
  await registerBilling(app, deps)
  await registerRest(app, deps)
  await registerMcp(app, deps, mcp)
  await registerPlayground(app, deps, mcp)
  await registerOAuth(app, deps)
  await registerDocs(app, deps)
  await registerSite(app, deps)
  return app
}
