import type { Config } from '../../config/config.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import type { Quote } from './method.ts'
import { creditsOf } from './payable.ts'

type Price = Pick<Config, 'AGENT_CREDIT_MICRO_USD'>

/** Micro-dollars of so many credits, at the list price. */
export const microUsdOf = ({ AGENT_CREDIT_MICRO_USD: price }: Price, credits: number): bigint =>
  BigInt(credits) * BigInt(price!)

/**
 * What a single call of a payable tool costs, with this parsed input. `url` names what is bought: a payment for another URL does not pay
 * it.
 */
export function quoteCall(config: Price, entry: RegisteredTool, input: Record<string, unknown>, url: string): Quote {
  const credits = creditsOf(entry, input)
  return {
    credits,
    microUsd: microUsdOf(config, credits),
    resource: { url, description: entry.tool.title },
    timeoutMs: entry.timeoutMs,
  }
}
