import { z } from 'zod'
import { defineTool, type Tool } from '../../tools/define-tool.ts'
import { startToolServer, type ToolServer } from '../../tools/testing/tool-server.ts'
import { makeServiceKey } from '../make-service-key.ts'

/** An operation of an upstream: its own server does the work, so `run` is never reached here. */
function operation(name: string, method: 'GET' | 'POST', path: string, rest: Partial<Tool>): Tool {
  const tool = defineTool({
    name,
    title: name,
    description: 'For tests.',
    input: z.strictObject({}),
    output: z.object({}),
    kind: 'value',
    credits: { kind: 'fixed', credits: 2 },
    mcp: false,
    run: () => {
      throw new Error('the work is done elsewhere')
    },
  })
  const id = name.split('_')[0]!
  return { ...tool, ...rest, upstream: { id, operation: name, method, path } }
}

export const doorTools: Tool[] = [
  operation('acme_price', 'GET', '/prices/{symbol}', {}),
  operation('acme_all', 'GET', '/prices/all', { credits: { kind: 'fixed', credits: 7 } }),
  operation('acme_order', 'POST', '/orders', {}),
  operation('acme_gold', 'GET', '/gold', { plans: ['pro'] }),
  operation('acme_search', 'GET', '/search', { credits: { kind: 'rows', credits: 3, perRows: 10 }, holds: 30 }),
  operation('other_price', 'GET', '/other/{symbol}', { credits: { kind: 'fixed', credits: 5 } }),
]

// biome-ignore lint/suspicious/noExplicitAny: the body is what is tested
type DoorBody = any

export interface DoorServer extends ToolServer {
  /** Keys for every operation, for those of acme, for those of other. */
  serviceKeys: { every: string; acme: string; other: string }
  /** A request to `/v1/meter/<verb>` with `every`, unless another key is given. */
  post: (verb: string, body: unknown, serviceKey?: string | null) => Promise<{ status: number; body: DoorBody }>
  /** Open holds of an account. */
  holds: (accountId: number) => Promise<number>
}

/** The product with operations of two upstreams. */
export async function startDoorServer(tools = doorTools): Promise<DoorServer> {
  const server = await startToolServer(tools)
  const make = async (upstreams: string[] | null) => (await makeServiceKey(server.db.kysely, upstreams)).value
  const serviceKeys = { every: await make(null), acme: await make(['acme']), other: await make(['other']) }
  return {
    ...server,
    serviceKeys,
    async post(verb, body, serviceKey = serviceKeys.every) {
      const answer = await fetch(`${server.url}/v1/meter/${verb}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(serviceKey && { authorization: `Bearer ${serviceKey}` }) },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: answer.status, body: await answer.json() }
    },
    async holds(accountId) {
      const { rows } = await server.db.pool.query<{ count: number }>(
        'select count(*)::int as count from credit_holds where account_id = $1',
        [accountId],
      )
      return rows[0]!.count
    },
  }
}
