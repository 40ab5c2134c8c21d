import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import {
  authorizeAnswer,
  authorizeRequest,
  gatewayQuery,
  releaseAnswer,
  releaseRequest,
  settleAnswer,
  settleRequest,
} from '#contract/meter-door.ts'
import type { Deps } from '../../deps.ts'
import { toAppError } from '../../http/error-handler.ts'
import { AppError } from '../../http/errors.ts'
import { problemAnswer } from '../../http/problem.ts'
import { refusalHeaders } from '../data-api/answer-headers.ts'
import { perShop } from '../shop/serve-shop.ts'
import { admitAtGateway } from './admit-at-gateway.ts'
import { authorize } from './authorize.ts'
import { type DoorDeps, doorDeps } from './door-deps.ts'
import { forNginx } from './for-nginx.ts'
import { meterOpenapi } from './meter-openapi.ts'
import { readOriginalRequest } from './original-request.ts'
import { release } from './release.ts'
import { settle } from './settle.ts'
import type { ServiceKey } from './verify-service-key.ts'

const ENVOY_PREFIX = '/v1/meter/auth/envoy'

/**
 * The second door to the meter: services and gateways of the operator that do the work themselves, and ask and report here.
 * Every request needs a service key.
 */
export async function registerMeterDoor(app: FastifyInstance, plain: Deps): Promise<void> {
  const deps = doorDeps(plain)
  const documentOf = perShop((shop) => JSON.stringify(meterOpenapi(deps.config.PUBLIC_URL, shop)))
  await app.register(async (plugin) => {
    const door = plugin.withTypeProvider<ZodTypeProvider>()
    door.addHook('onSend', async (_request, reply) => {
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-store')
    })
    door.setErrorHandler((error, request, reply) => {
      const known = toAppError(error as never, request, deps.log)
      request.record.fail(known)
      return send(reply, known, request)
    })
    door.post(
      '/v1/meter/authorize',
      { schema: { body: authorizeRequest, response: { 200: authorizeAnswer } }, preValidation: guard(deps) },
      async (request) => {
        const { hold, account, creditsHeld, remaining, limits, expiresAt } = await authorize(
          deps,
          keyOf(request),
          request.body,
          request.record,
        )
        return {
          hold,
          account,
          credits_held: creditsHeld,
          remaining,
          limits: limits && {
            policy: limits.policy,
            limit: limits.limit,
            remaining: limits.remaining,
            reset_seconds: limits.resetSeconds,
          },
          expires_at: expiresAt.toISOString(),
        }
      },
    )
    door.post(
      '/v1/meter/settle',
      { schema: { body: settleRequest, response: { 200: settleAnswer } }, preValidation: guard(deps) },
      (request) => settle(deps, keyOf(request), request.body, request.record),
    )
    door.post(
      '/v1/meter/release',
      { schema: { body: releaseRequest, response: { 200: releaseAnswer } }, preValidation: guard(deps) },
      (request) => release(deps, keyOf(request), request.body.hold),
    )
    door.get('/v1/meter/openapi.json', (_request, reply) =>
      reply
        .type('application/json')
        .header('cache-control', 'public, max-age=300')
        .send(documentOf(deps.shop.current())),
    )
    door.get('/v1/meter/auth', { schema: { querystring: gatewayQuery } }, async (request, reply) => {
      const { gateway, upstream } = request.query
      try {
        if (gateway === 'envoy')
          throw new AppError('invalid_parameter', `gateway: set Envoy's path_prefix to ${ENVOY_PREFIX}.`, {
            param: 'gateway',
          })
        return await permit(deps, request, reply, gateway, upstream, { method: 'GET', target: '' })
      } catch (error) {
        const known = toAppError(error as never, request, deps.log)
        request.record.fail(known)
        if (gateway !== 'nginx') return send(reply, known, request)
        const { status, headers, body } = forNginx(problemAnswer(known, request.id, refusalHeaders(known)))
        return reply.code(status).headers(headers).send(body)
      }
    })
    // Envoy asks with the method of its request and with its address after this prefix.
    door.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: `${ENVOY_PREFIX}/*`,
      handler: (request, reply) =>
        permit(deps, request, reply, 'envoy', undefined, {
          method: request.method,
          target: request.url.slice(ENVOY_PREFIX.length),
        }),
    })
  })
}

async function permit(
  deps: DoorDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  gateway: Parameters<typeof readOriginalRequest>[0],
  upstream: string | undefined,
  own: { method: string; target: string },
): Promise<FastifyReply> {
  const key = await deps.serviceKeys(serviceKeyHeader(request))
  const asked = readOriginalRequest(gateway, request.headers, own)
  const given = { upstream, idempotencyKey: request.headers['idempotency-key'] }
  const headers = await admitAtGateway(deps, key, asked, given, request.record)
  return reply.code(200).headers(headers).send()
}

/** Before the body is looked at: strangers learn nothing about it. */
const guard =
  (deps: DoorDeps) =>
  async (request: FastifyRequest): Promise<void> => {
    const bearer = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    request.serviceKey = await deps.serviceKeys(serviceKeyHeader(request) ?? bearer)
  }

const keyOf = (request: FastifyRequest): ServiceKey => request.serviceKey!

/** Several values are no key. */
const serviceKeyHeader = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers['finmeter-service-key']
  return typeof given === 'string' ? given.trim() : undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    serviceKey?: ServiceKey
  }
}

function send(reply: FastifyReply, error: AppError, request: FastifyRequest): FastifyReply {
  const { status, headers, body } = problemAnswer(error, request.id, refusalHeaders(error))
  return reply.code(status).headers(headers).send(body)
}
