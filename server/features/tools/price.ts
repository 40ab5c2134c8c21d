import { AppError } from '../../http/errors.ts'
import type { BodyAnswer, CreditRule, Table, Tool } from './define-tool.ts'

/** Credits that the output of a table or value tool costs: the tool's price rule, or 0 for a table without rows. */
export function price({ credits, kind }: Tool, output: unknown): number {
  if (kind === 'value') return credits.credits
  const rows = (output as Table).meta.row_count
  if (rows === 0) return 0
  return 'perRows' in credits ? credits.credits * Math.ceil(rows / credits.perRows) : credits.credits
}

/** What a table's price counted; 0: it does not vary. */
export const rowsPriced = ({ credits, kind }: Tool, output: unknown): number =>
  kind === 'table' && 'perRows' in credits ? (output as Table).meta.row_count : 0

/** Credits, and the rows, units or KiB that were counted for them; absent: none. */
export interface Counted {
  credits: number
  units?: number
}

export interface Bill {
  /** The price; null for a stream, whose price is known when it ends. */
  credits: number | null
  /** What was counted for it; absent: nothing. */
  units?: number
  /** The upstream failed, or its answer has a status that is not charged. */
  failed: boolean
}

/** What an answer with a body of its own costs. Throws what `bodyPrice` throws. */
export function billOf(tool: Tool, answer: BodyAnswer): Bill {
  if (!isCharged(tool, answer)) return { credits: 0, failed: true }
  if ('canceled' in answer) return { credits: mostOf(tool.credits) ?? 0, failed: false }
  if (!('stream' in answer)) return { ...answerPrice(tool, answer), failed: false }
  if (tool.streamMs === undefined) throw new Error(`${tool.name} answered with a stream, and has no streamMs.`)
  return { credits: null, failed: false }
}

/** Whether a call with this answer is charged: its status is one of the tool's, and an MCP server reports no error. */
export function isCharged({ charge = ['2xx'] }: Pick<Tool, 'charge'>, answer: BodyAnswer): boolean {
  if ('mcp' in answer && answer.mcp?.isError) return false
  const { status } = answer
  return charge.some((one) =>
    one.endsWith('xx') ? Math.floor(status / 100) === Number(one[0]) : status === Number(one),
  )
}

/** What a complete answer costs: its price, or less from the cache. Throws what `bodyPrice` throws. */
function answerPrice({ credits, cache }: Tool, answer: Extract<BodyAnswer, { body: Buffer }>): Counted {
  const full = bodyPrice(credits, answer)
  if (answer.cachedAgeS === undefined) return full
  return { ...full, credits: Math.min(full.credits, cache?.credits ?? full.credits) }
}

/** The price of a complete body. Throws upstream_failed when it must be JSON for its price to be known, and is not. */
export function bodyPrice(rule: CreditRule, { headers, body }: Extract<BodyAnswer, { body: Buffer }>): Counted {
  if (rule.kind === 'fixed') return { credits: rule.credits }
  if (rule.kind === 'kib') return { credits: portions(rule, body.length), units: body.length / 1024 }
  if ('perRows' in rule) return { credits: 0 }
  const found = 'header' in rule ? headers[rule.header.toLowerCase()] : valueAt(jsonOf(body), rule.at)
  const count = countOf(rule, found)
  return count === undefined ? { credits: missingPrice(rule) } : { credits: portions(rule, count), units: count }
}

type CountedRule = Exclude<CreditRule, { kind: 'fixed' | 'kib' } | { perRows: number }>

/** Rows of an array, or reported units, as a number or its text; undefined: it is neither. */
export function countOf({ kind }: CountedRule, found: unknown): number | undefined {
  if (kind === 'rows') return Array.isArray(found) ? found.length : undefined
  const units = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
  return typeof units === 'number' && units >= 0 ? units : undefined
}

/** Credits of an answer in which nothing can be counted. Customers may choose its shape, so it is not free by itself. */
export const missingPrice = (rule: CountedRule): number => rule.missing ?? rule.most ?? rule.credits

/** Credits of so many rows, units or bytes. */
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

/** The highest price of a call; undefined: there is none. */
export const mostOf = (rule: CreditRule): number | undefined =>
  rule.kind === 'fixed' ? rule.credits : 'most' in rule ? rule.most : undefined

/** Lowest price of an answer with something in it. */
export const leastCredits = ({ kind, credits }: Tool): number =>
  kind === 'body' && credits.kind !== 'fixed' && 'most' in credits
    ? Math.min(credits.credits, credits.most ?? credits.credits)
    : credits.credits

/** Whether the work of a call cannot be taken back, or repeated unnoticed. */
export const acts = ({ upstream }: Tool): boolean => upstream !== undefined && upstream.method.toUpperCase() !== 'GET'

/**
 * Credits that a call sets aside before its work: what the tool says, or, for bodies, the highest price where it may vary, where the
 * answer streams, and where the work cannot be taken back. Undefined: none.
 */
export function creditsHeld(tool: Tool): number | undefined {
  const { holds, kind, credits, streamMs } = tool
  if (holds !== undefined || kind !== 'body') return holds
  const most = mostOf(credits)
  const needed = credits.kind !== 'fixed' || streamMs !== undefined || acts(tool)
  return needed && most !== undefined && most > 0 ? most : undefined
}
