import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { balanceRoutes } from '#contract/balances.ts'
import type { Deps } from '../../../deps.ts'
import type { HttpAnswer } from '../../../http/answer.ts'
import { serve } from '../../../http/envelope.ts'
import { toAppError } from '../../../http/error-handler.ts'
import { problemAnswer } from '../../../http/problem.ts'
import { presented } from '../../keys/credentials.ts'
import { countryOf } from '../country-of.ts'
import type { PaymentMethod } from '../method.ts'
import { dress, PAYMENT } from '../rest-wire.ts'
import { claimBalance, previewBalance } from './claim-balance.ts'
import { balanceOf, sellBalance } from './order-balance.ts'
import { renewLink } from './sold-balance.ts'

const PATH = '/v1/agent-balances'
const PRIVATE = { 'cache-control': 'private, no-store' }

/** What agents ask over REST, where calls can be paid there, and what people do with an agent's link. */
export function registerBalances(app: FastifyInstance, deps: Deps, method: PaymentMethod): void {
  serve(app, deps, balanceRoutes.previewBalance, async ({ ctx, input }) => ({
    balance: await previewBalance(ctx, input.body.token),
  }))
  serve(app, deps, balanceRoutes.claimBalance, async ({ ctx, input }) => ({
    workspace: await claimBalance(ctx, input.body.token),
  }))
  if (deps.config.REST_PURCHASE !== 'protocol') return
  app.post(PATH, (request, reply) => sell(deps, method, request, reply))
  app.post(`${PATH}/claim-link`, async (request, reply) => {
    await deps.limits.count('agentRequests', { address: request.ip })
    const link = await renewLink(deps, await balanceOf(deps, presented(request.raw, request.ip), 'rest'))
    return reply.code(201).headers(PRIVATE).send({ data: link })
  })
}

async function sell(deps: Deps, method: PaymentMethod, request: FastifyRequest, reply: FastifyReply) {
  const { headers, body, raw, ip, id } = request
  const wish = {
    input: body,
    url: `${deps.config.PUBLIC_URL}${PATH}`,
    payment: headers[PAYMENT],
    given: presented(raw, ip),
    surface: 'rest',
    headerKey: headers['idempotency-key'],
    country: countryOf(deps.config, headers),
    isGone: () => raw.socket.destroyed,
  } as const
  const answer = await sellBalance<HttpAnswer>(deps, method, wish, {
    sold: (balance) => ({
      status: 201,
      headers: { ...PRIVATE, 'content-type': 'application/json' },
      body: JSON.stringify({ data: balance }),
    }),
    refused: (error) => problemAnswer(toAppError(error as never, request, deps.log), id),
    dress: (given, attempt) => dress(given, attempt, method, false),
  })
  return reply.code(answer.status).headers(answer.headers).send(answer.body)
}
