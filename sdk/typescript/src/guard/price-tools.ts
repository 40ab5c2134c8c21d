import { FinmeterError } from '../errors.ts'
import { authorize, type Cost, type Customer, type DoorOptions, type Held, type Priced } from './meter-door.ts'

/** A server of either official TypeScript SDK for MCP. */
interface McpServerLike {
  // biome-ignore lint/suspicious/noExplicitAny: each SDK has its own types of handlers
  registerTool: (name: string, config: any, handler: any) => any
}

export interface PriceToolsOptions extends DoorOptions {
  /** The customer of a call. Default: the API key in the headers of its HTTP request. `context` is the handler's last argument. */
  // biome-ignore lint/suspicious/noExplicitAny: each SDK has its own type of context
  customerOf?: (context: any) => Customer | null
}

interface ToolResult {
  isError?: boolean
  _meta?: Record<string, unknown>
  [part: string]: unknown
}

/**
 * Charges calls of the tools that are registered from now on, by name. Tools without a price stay free. A refusal is an answer with
 * `isError`, which the model can read; answers with `isError` of the tool itself cost nothing. The receipt is in `_meta`.
 */
export function priceTools<S extends McpServerLike>(
  server: S,
  prices: Record<string, Priced>,
  options: PriceToolsOptions = {},
): S {
  const register = server.registerTool.bind(server) as McpServerLike['registerTool']
  const priced: McpServerLike['registerTool'] = (name, config, handler) => {
    const price = prices[name]
    if (!price) return register(name, config, handler)
    return register(name, config, async (...args: unknown[]): Promise<ToolResult> => {
      let held: Held
      try {
        const customer = options.customerOf
          ? options.customerOf(args.at(-1))
          : customerOfHeaders(args.at(-1) as Contexts)
        if (!customer) return refused({ code: 'key_missing', detail: 'An API key is required.' })
        held = await authorize(price, customer, options)
      } catch (error) {
        if (error instanceof FinmeterError) return refused(error.problem)
        throw error
      }
      let result: ToolResult
      try {
        result = await handler(...args)
      } catch (error) {
        await held.settle({}, 'failed').catch(() => {})
        throw error
      }
      try {
        if (result.isError) {
          await held.settle({}, 'failed')
          return result
        }
        const { [COST]: cost, ..._meta } = (result._meta ?? {}) as { [COST]?: Cost }
        const { receipt, creditsCharged, remaining } = await held.settle(cost)
        const facts = { 'finmeter/receipt': receipt, 'finmeter/credits-charged': creditsCharged }
        return { ...result, _meta: { ..._meta, ...facts, 'finmeter/credits-remaining': remaining ?? 'unlimited' } }
      } catch (error) {
        if (error instanceof FinmeterError) return refused(error.problem)
        throw error
      }
    })
  }
  server.registerTool = priced as S['registerTool']
  return server
}

/** A tool's result says with `_meta: { [COST]: { units: 12 } }` what the call came to. It is not sent. */
export const COST = 'finmeter/cost'

const refused = (problem: { code: string; detail: string }): ToolResult => ({
  isError: true,
  content: [{ type: 'text', text: `${problem.code}: ${problem.detail}` }],
  _meta: { 'finmeter/error': problem.code },
})

interface Contexts {
  /** Version 2 of the SDK. */
  http?: { req?: Request }
  /** Version 1: plain headers, or a Request. */
  requestInfo?: { headers: Headers | Record<string, string | string[] | undefined> }
}

function customerOfHeaders(context: Contexts | undefined): Customer | null {
  const headers = context?.http?.req?.headers ?? context?.requestInfo?.headers
  if (!headers) return null
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name]
    return (Array.isArray(value) ? value[0] : value) ?? ''
  }
  const key = header('x-api-key').trim() || /^bearer +(.+)$/i.exec(header('authorization'))?.[1]?.trim()
  return key ? { key, client: header('user-agent').slice(0, 500) } : null
}
