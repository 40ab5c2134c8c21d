import { randomUUID } from 'node:crypto'
import { decoded, encoded, type PaidWorld, type Payment } from './paid-world.ts'

/** A call for one credit. */
export const CALL = '/v1/bars/AAPL?range=1mo'
export const kinds = ['call', 'balance', 'top-up'] as const

export interface Agent {
  kind: (typeof kinds)[number]
  sign: (url: string) => Promise<Payment>
  /** `status` 0: no answer. */
  ask: (url: string, payment: Payment) => Promise<{ status: number; key?: string | null }>
}

/** An agent that wants a call, a balance, or more credits for the balance that it has. */
export async function newAgent(world: PaidWorld, kind: Agent['kind'], url: string): Promise<Agent> {
  const payer = await world.payer(5_000_000n)
  const body = (secret: string) => JSON.stringify({ usd: 1, idempotency_key: secret })
  let own: Record<string, string> = {}
  const request = (secret: string, headers: Record<string, string> = {}): [string, RequestInit] =>
    kind === 'call'
      ? [CALL, { headers }]
      : [
          '/v1/agent-balances',
          { method: 'POST', body: body(secret), headers: { 'content-type': 'application/json', ...own, ...headers } },
        ]
  if (kind === 'top-up') {
    const [path, init] = request(randomUUID())
    const answer = await payer.fetch(url + path, init)
    own = { 'x-api-key': (await answer.json()).data.key }
  }
  const secret = randomUUID()
  return {
    kind,
    async sign(to) {
      const [path, init] = request(secret)
      return payer.sign(decoded((await fetch(to + path, init)).headers.get('payment-required')))
    },
    async ask(to, payment) {
      const [path, init] = request(secret, { 'payment-signature': encoded(payment) })
      try {
        const answer = await fetch(to + path, init)
        const { data } = await answer.json()
        return { status: answer.status, key: data?.key }
      } catch {
        return { status: 0 }
      }
    },
  }
}
