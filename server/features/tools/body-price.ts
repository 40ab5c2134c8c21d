import { AppError } from '../../http/errors.ts'
import type { BodyAnswer, CreditRule, Tool } from './define-tool.ts'

/** Whether a call with this answer is charged: its status is one of the tool's, and an MCP server reports no error. */
export function isCharged({ charge = ['2xx'] }: Pick<Tool, 'charge'>, answer: BodyAnswer): boolean {
  if ('mcp' in answer && answer.mcp?.isError) return false
  const { status } = answer
  return charge.some((one) =>
    one.endsWith('xx') ? Math.floor(status / 100) === Number(one[0]) : status === Number(one),
  )
}

/** What a complete answer costs: its price, or less from the cache. Throws what `bodyPrice` throws. */
export function answerPrice({ credits, cache }: Tool, answer: Extract<BodyAnswer, { body: Buffer }>): number {
  const full = bodyPrice(credits, answer)
  return answer.cachedAgeS === undefined ? full : Math.min(full, cache?.credits ?? full)
}

/** Credits of a complete body. Throws upstream_failed when it must be JSON for its price to be known, and is not. */
export function bodyPrice(rule: CreditRule, { headers, body }: Extract<BodyAnswer, { body: Buffer }>): number {
  if (rule.kind === 'fixed') return rule.credits
  if (rule.kind === 'kib') return portions(rule, body.length)
  if ('perRows' in rule) return 0
  if ('header' in rule) return portions(rule, Number(headers[rule.header.toLowerCase()]))
  const value = valueAt(jsonOf(body), rule.at)
  return portions(rule, rule.kind === 'rows' ? (Array.isArray(value) ? value.length : 0) : Number(value))
}

/** Credits of so many rows, units or bytes. What is no number, as in a report that is missing, is none. */
export function portions(rule: Exclude<CreditRule, { kind: 'fixed' }>, count: number): number {
  if (!(count > 0)) return 0
  const per = rule.kind === 'kib' ? 1024 : 'per' in rule ? rule.per : rule.perRows
  const most = 'most' in rule && rule.most !== undefined ? rule.most : MOST_CREDITS
  return Math.min(Math.ceil(count / per) * rule.credits, most)
}

/** The meter's own limit of one price. */
const MOST_CREDITS = 2_147_483_647

/** The value at a JSON pointer (RFC 6901); undefined: none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (found === null || typeof found !== 'object' || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new AppError('upstream_failed', 'The upstream did not answer with JSON. Nothing was charged.')
  }
}
