import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { defineTool, type Tool } from '../../tools/define-tool.ts'
import { operation } from '../../tools/testing/body-tools.ts'
import { testTools } from '../../tools/testing/test-tools.ts'
import { startToolServer, type ToolServer } from '../../tools/testing/tool-server.ts'
import { decoded, encoded, type PaidWorld, type Payment, type PaymentRequired, startPaidWorld } from './paid-world.ts'

/** What the tool of these tests does, and did. */
interface MoodyTool {
  /** The same request fails first, and then succeeds. */
  mood: 'good' | 'throws' | 'slow' | 'refuses'
  runs: number
  /** Calls wait for it. */
  waiting: Promise<void> | null
  /** Requests that the upstream got. */
  upstreamCalls: number
}

export interface MoodyServer {
  world: PaidWorld
  server: ToolServer
  tool: MoodyTool
  /** Every line of the log. */
  logged: string[]
  url: (path: string) => string
  /** The terms of a request without a payment. */
  termsOf: (path: string, init?: RequestInit) => Promise<PaymentRequired>
  pay: (path: string, payment: Payment, init?: RequestInit) => Promise<Response>
  /** Payments of a payer. */
  rowsOf: (payer: string) => Promise<Payment[]>
  /** Calls of a payer. */
  usageOf: (payer: string) => Promise<Payment[]>
  reset: () => void
  close: () => Promise<void>
}

/** A server that is paid, with a tool that does as it is told, and an upstream that counts its requests. */
export async function startMoodyServer(): Promise<MoodyServer> {
  const tool: MoodyTool = { mood: 'good', runs: 0, waiting: null, upstreamCalls: 0 }
  const logged: string[] = []
  const world = await startPaidWorld()
  const upstream = operation('price', () => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'payment-required': 'theirs', 'x-payment-response': 'theirs' },
    body: Buffer.from(`{"call":${++tool.upstreamCalls}}`),
  }))
  const server = await startToolServer([...testTools, moodyTool(tool), upstream] as Tool[], world.env, logged)
  const query = async (text: string, payer: string) => (await server.db.pool.query(text, [payer])).rows
  const url = (path: string) => `${server.url}${path}`
  return {
    world,
    server,
    tool,
    logged,
    url,
    termsOf: async (path, init) => decoded((await fetch(url(path), init)).headers.get('payment-required')),
    pay: (path, payment, init = {}) =>
      fetch(url(path), { ...init, headers: { ...init.headers, 'payment-signature': encoded(payment) } }),
    rowsOf: (payer) =>
      query(
        'select state, credits, micro_usd, atomic, account_id, receipt_id, reference, reason, attempt from agent_payments where payer = $1 order by id',
        payer,
      ),
    usageOf: (payer) =>
      query(
        'select success, from_credits from usage_events where account_id in (select account_id from agent_accounts where payer = $1) order by at',
        payer,
      ),
    reset() {
      tool.mood = 'good'
      tool.waiting = null
      world.facilitator.fault = null
      world.facilitator.beforeSettle = null
    },
    async close() {
      await server.close()
      await world.stop()
    },
  }
}

const moodyTool = (tool: MoodyTool) =>
  defineTool({
    name: 'test_moody',
    title: 'Moody',
    description: 'Fails when it is told to.',
    input: z.strictObject({ name: z.string().default('a').describe('Name') }),
    output: z.object({ name: z.string(), run: z.number() }),
    kind: 'value',
    credits: { kind: 'fixed', credits: 3 },
    timeoutMs: 300,
    rest: { method: 'GET', path: '/v1/test/moody' },
    run: async ({ name }, { signal }) => {
      tool.runs++
      if (tool.mood === 'throws') throw new Error('no')
      if (tool.mood === 'refuses') throw new AppError('unknown_symbol')
      if (tool.mood === 'slow')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      await tool.waiting
      return { name, run: 1 }
    },
  })
