import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { CHAIN_ID, type SandboxChain } from './start-chain.ts'

/** What goes wrong at a settlement. `lost`: it is settled, and the answer never comes. `long`: the answer is, and nothing is settled. */
export type Fault = 'error' | 'refused' | 'hang' | 'lost' | 'pending' | 'not_settled' | 'redirect' | 'long'

export interface SandboxFacilitator {
  url: string
  /** Payments that were verified and settled so far, as asked. */
  calls: { verify: number; settle: number }
  /** The next settlement goes wrong; null: none does. */
  fault: Fault | null
  /** Runs after each settlement, before it is answered. */
  afterSettle: (() => Promise<void>) | null
  /** Runs before each settlement, with the body that asks for it. */
  beforeSettle: ((body: { paymentPayload: PaymentPayload }) => Promise<void>) | null
  stop: () => Promise<void>
}

export interface PaymentPayload {
  payload: {
    signature: string
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
  }
}

/** The official facilitator of the packages in `folder`, over HTTP: it verifies and settles on the sandbox's chain. */
export async function startFacilitator(folder: string, chain: SandboxChain): Promise<SandboxFacilitator> {
  const load = createRequire(join(folder, 'package.json'))
  const { x402Facilitator } = load('@x402/core/facilitator')
  const { registerExactEvmScheme } = load('@x402/evm/exact/facilitator')
  const { toFacilitatorEvmSigner } = load('@x402/evm')
  const facilitator = new x402Facilitator()
  registerExactEvmScheme(facilitator, {
    signer: toFacilitatorEvmSigner(chain.wallet, { confirmationTimeoutMs: 10_000 }),
    networks: `eip155:${CHAIN_ID}`,
  })
  const state: SandboxFacilitator = {
    url: '',
    calls: { verify: 0, settle: 0 },
    fault: null,
    afterSettle: null,
    beforeSettle: null,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  const settle = async (body: never): Promise<{ status: number; answer: unknown } | null> => {
    const { fault, beforeSettle } = state
    await beforeSettle?.(body)
    const { paymentPayload, paymentRequirements } = body as { paymentPayload: unknown; paymentRequirements: object }
    const failed = (errorReason: string, transaction = '') => ({
      status: 200,
      answer: { success: false, errorReason, transaction, network: `eip155:${CHAIN_ID}` },
    })
    if (fault === 'error') return { status: 500, answer: { error: 'internal error' } }
    if (fault === 'refused') return failed('insufficient_funds')
    if (fault === 'not_settled') return failed('unexpected_settle_error')
    if (fault === 'hang') return null
    if (fault === 'long')
      return {
        status: 200,
        answer: {
          success: true,
          transaction: `0x${'1'.repeat(64)}`,
          network: `eip155:${CHAIN_ID}`,
          extra: 'x'.repeat(1e6),
        },
      }
    const answer = await facilitator.settle(paymentPayload, paymentRequirements)
    await state.afterSettle?.()
    if (fault === 'lost') return null
    if (fault === 'pending') return failed('settlement_pending', answer.transaction)
    return { status: 200, answer }
  }

  const server = createServer((request, response) => {
    const send = (status: number, answer: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    }
    const answer = async (): Promise<void> => {
      if (request.method === 'GET' && request.url === '/supported') return send(200, facilitator.getSupported())
      const body = await read(request)
      if (request.url === '/verify') {
        state.calls.verify++
        return send(200, await facilitator.verify(body.paymentPayload, body.paymentRequirements))
      }
      if (state.fault === 'redirect' && request.url === '/settle')
        return void response.writeHead(307, { location: '/settle?elsewhere' }).end()
      if (!request.url?.startsWith('/settle')) return send(404, {})
      state.calls.settle++
      const settled = await settle(body as never)
      if (settled) send(settled.status, settled.answer)
    }
    answer().catch((error) => send(500, { error: String(error) }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}
