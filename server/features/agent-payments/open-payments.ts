import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import type { RestHandler } from '../data-api/answer-rows.ts'
import type { CallResult, ClientCall } from '../mcp/call-tool.ts'
import type { McpRequest } from '../mcp/message.ts'
import type { McpTool, RegisteredTool } from '../tools/register-tool.ts'
import type { ToolSnapshot } from '../tools/registry.ts'
import type { AttemptDeps } from './attempt.ts'
import { closeBalances } from './balance/close-balances.ts'
import { balanceTool, sellByTool } from './balance/mcp-tool.ts'
import { BUY_BALANCE } from './balance/order-balance.ts'
import { registerBalances } from './balance/routes.ts'
import { findOutPayments, forgetPayments } from './find-out.ts'
import { callPaid, listWithPrices } from './mcp-wire.ts'
import type { PaymentMethod } from './method.ts'
import { isPayable } from './payable.ts'
import { microUsdOf } from './quote-call.ts'
import { payableHandler } from './rest-wire.ts'
import { loadLibraries } from './x402/load-libraries.ts'
import { createX402 } from './x402/x402.ts'

/** What the surfaces need of agents' payments; `deps.payments`, null where they are off. */
export interface AgentPayments {
  /** The handler of a tool, whose calls can then be paid, if the tool's can. */
  rest: (entry: RegisteredTool, handler: RestHandler) => RestHandler
  /** Calls a tool for a client of the payment endpoint. */
  callTool: (deps: Deps, request: McpRequest, call: ClientCall) => Promise<CallResult>
  /** What else the payment endpoint sells, by the name of its tool. Nothing of it throws. */
  sold: (deps: Deps, request: McpRequest) => Record<string, (call: Omit<ClientCall, 'entry'>) => Promise<CallResult>>
  /** Adds the routes of balances. */
  register: (app: FastifyInstance, deps: Deps) => void
  /** Closes balances that nobody wants. Returns how many. */
  closeBalances: () => Promise<number>
  /** The tools as the payment endpoint lists them. */
  list: (tools: Pick<ToolSnapshot, 'all'>) => McpTool[]
  /** How a call of a tool is paid, for descriptions; null: it cannot be paid alone. */
  offerOf: (entry: RegisteredTool) => Record<string, unknown> | null
  /** The same of a balance. */
  balanceOffer: Record<string, unknown>
  /** Decides what was left undecided. Returns how many payments changed. */
  findOut: () => Promise<number>
}

/** Loads the packages of agents' payments. Throws an Error where they are not installed, or the network's token is not known. */
export function openPayments(deps: AttemptDeps): AgentPayments {
  const { config, log } = deps
  const paying: PaymentMethod = createX402(config, loadLibraries(), log)
  const offer = (amount: string | null) => ({
    intent: 'charge',
    method: paying.id,
    amount,
    currency: 'usd',
    description: `In millionths of a US dollar, paid on ${config.X402_NETWORK}.`,
  })
  return {
    rest: (entry, handler) =>
      config.REST_PURCHASE === 'protocol' ? payableHandler(deps, paying, entry, handler) : handler,
    callTool: (all, request, call) => callPaid(all, paying, request, call),
    sold: (all, request) => ({ [BUY_BALANCE]: (call) => sellByTool(all, paying, request, call) }),
    register: (app, all) => registerBalances(app, all, paying),
    closeBalances: () => closeBalances(deps),
    list: (tools) => [...listWithPrices(deps, config.X402_NETWORK!, tools), balanceTool(config.X402_NETWORK!)],
    offerOf(entry) {
      if (!isPayable(entry)) return null
      const { credits } = entry.tool
      // A price by rows depends on the request.
      return offer(credits.kind === 'fixed' ? String(microUsdOf(config, credits.credits)) : null)
    },
    balanceOffer: offer(null),
    async findOut() {
      await forgetPayments(deps.db)
      return findOutPayments(deps, paying)
    },
  }
}
