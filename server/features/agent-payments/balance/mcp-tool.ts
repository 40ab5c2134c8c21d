import { z } from 'zod'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { type CallResult, type ClientCall, refused } from '../../mcp/call-tool.ts'
import type { McpRequest } from '../../mcp/message.ts'
import type { McpTool } from '../../tools/register-tool.ts'
import { countryOf } from '../country-of.ts'
import { dress } from '../mcp-wire.ts'
import type { PaymentMethod } from '../method.ts'
import { BUY_BALANCE, orderInput, sellBalance } from './order-balance.ts'
import { LEAST_USD, MOST_USD } from './require-room.ts'

const { $schema: _, ...inputSchema } = z.toJSONSchema(orderInput, { io: 'input' })

/** The tool as the payment endpoint lists it. */
export const balanceTool = (network: string): McpTool => ({
  name: BUY_BALANCE,
  title: 'Buy a balance',
  description: `Buys credits for $${LEAST_USD} to $${MOST_USD}, paid with x402. Without a key, the answer has a new API key and a link with which a person can own the balance. With a key, the credits are added to its balance.`,
  inputSchema,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  _meta: { 'finmeter/price': { usd: `${LEAST_USD} to ${MOST_USD}`, network } },
})

/** Sells a balance on the payment endpoint, by x402 over MCP. Never throws. */
export function sellByTool(
  deps: Deps,
  method: PaymentMethod,
  request: McpRequest,
  { args, payment, metaKey, headerKey, record }: Omit<ClientCall, 'entry'>,
): Promise<CallResult> {
  let isGone = false
  const unwatch = request.onGone?.(() => {
    isGone = true
  })
  const wish = {
    input: args,
    url: `mcp://tool/${BUY_BALANCE}`,
    payment,
    given: request.presented,
    surface: 'mcp',
    headerKey: metaKey ?? headerKey,
    country: countryOf(deps.config, request.headers),
    isGone: () => isGone,
  } as const
  return sellBalance<CallResult>(deps, method, wish, {
    sold(balance) {
      record.result = 'success'
      return { isError: false, text: JSON.stringify(balance), structured: balance, meta: {}, headers: {} }
    },
    refused(error) {
      const known = error instanceof AppError ? error : new AppError('internal_error')
      if (known !== error)
        deps.log.error(
          { requestId: record.requestId, tool: BUY_BALANCE, error: String(error) },
          'a balance was not sold',
        )
      record.fail(known)
      return refused(known)
    },
    dress: (given, attempt) => dress(given, attempt, method),
  }).finally(unwatch)
}
