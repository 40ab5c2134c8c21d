import { z } from 'zod'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { type CallResult, type ClientCall, refused } from '../../mcp/call-tool.ts'
import type { McpRequest } from '../../mcp/message.ts'
import type { McpTool } from '../../tools/register-tool.ts'
import { countryOf } from '../country-of.ts'
import { dress } from '../mcp-wire.ts'
import type { PaymentMethod } from '../method.ts'
import { BUY_BALANCE, type Order, orderBalance, orderInput } from './order-balance.ts'
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
export async function sellBalance(
  deps: Deps,
  method: PaymentMethod,
  request: McpRequest,
  { args, payment, metaKey, headerKey, record }: Omit<ClientCall, 'entry'>,
): Promise<CallResult> {
  let isGone = false
  const unwatch = request.onGone?.(() => {
    isGone = true
  })
  let order: Order | undefined
  const answer = async (): Promise<CallResult> => {
    try {
      order = await orderBalance(deps, method, {
        input: args,
        url: `mcp://tool/${BUY_BALANCE}`,
        payment,
        given: request.presented,
        surface: 'mcp',
        headerKey: metaKey ?? headerKey,
        country: countryOf(deps.config, request.headers),
        isGone: () => isGone,
      })
      const sold = await order.pay()
      record.result = 'success'
      return { isError: false, text: JSON.stringify(sold), structured: sold, meta: {}, headers: {} }
    } catch (error) {
      const known = error instanceof AppError ? error : new AppError('internal_error')
      if (known !== error)
        deps.log.error(
          { requestId: record.requestId, tool: BUY_BALANCE, error: String(error) },
          'a balance was not sold',
        )
      record.fail(known)
      return refused(known)
    } finally {
      await order?.attempt.end()
      unwatch?.()
    }
  }
  const given = await answer()
  return order ? dress(given, order.attempt, method) : given
}
