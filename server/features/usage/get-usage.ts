import { z } from 'zod'
import { AppError } from '../../http/errors.ts'
import { readBalance } from '../credits/balance.ts'
import { isDemo } from '../keys/credentials.ts'
import { type CreditRule, defineTool } from '../tools/define-tool.ts'
import { portionText } from '../tools/listing/price-text.ts'
import { usageByTool } from './by-tool.ts'

export const getUsage = defineTool({
  name: 'get_usage',
  title: 'Credits and usage',
  description: 'Credits left, calls and credits since midnight UTC by tool, and what each tool costs. Free.',
  input: z.strictObject({}),
  output: z.object({
    credits_remaining: z.int().nullable(),
    unlimited: z.boolean(),
    used_today: z.array(z.object({ tool: z.string(), calls: z.int(), failed: z.int(), credits: z.int() })),
    prices: z.record(z.string(), z.string()),
  }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  example: {},
  rest: { method: 'GET', path: '/v1/usage' },
  async run(_, { deps, caller }) {
    const catalog = deps.tools.current()
    if (isDemo(caller))
      throw new AppError(
        'forbidden',
        'The demo key has no credits and no usage. Create a free account to get your own key.',
      )
    const { kysely } = deps.db.of(caller.bucket)
    const [balance, tools] = await Promise.all([
      readBalance(kysely, caller.accountId),
      usageByTool(kysely, caller.accountId),
    ])
    return {
      credits_remaining: balance.unlimited ? null : balance.remaining,
      unlimited: balance.unlimited,
      used_today: tools.map(({ toolId, ...counts }) => ({
        tool: catalog.nameOf(toolId) ?? `tool ${toolId}`,
        ...counts,
      })),
      prices: Object.fromEntries(catalog.all.map(({ tool }) => [tool.name, priceOf(tool.credits)])),
    }
  },
})

const priceOf = (rule: CreditRule): string =>
  rule.credits === 0 ? 'free' : rule.kind === 'fixed' ? `${rule.credits}` : `${rule.credits} per ${portionText(rule)}`
