import { z } from 'zod'

export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, { error: 'expected the name of a header' })
const credits = z.int().min(0).max(1_000_000)
const most = credits.min(1)
/** JSON pointer (RFC 6901) into the answer. */
const pointer = z.string().regex(/^(\/.*)?$/, { error: 'expected a JSON pointer such as /items' })
const count = z.int().min(1)

/** What an answer costs in which the rule finds nothing to count. Absent: `most`. */
const missing = z.literal(0, { error: 'expected 0, or no such key: then it costs most' }).optional()

/** What one call costs: a number, or a rule. */
export const price = z.union([
  credits,
  z.strictObject({ rows: pointer, per: count, credits: credits.min(1), most: most.optional(), missing }),
  z.strictObject({
    unit: z.union([z.strictObject({ header: headerName }), z.strictObject({ pointer })]),
    per: count,
    credits: credits.min(1),
    most,
    /** What a stream costs at least that the customer leaves before its end. Absent: `most`. */
    floor: credits.optional(),
    missing,
  }),
  z.strictObject({ kib: credits.min(1), most }),
])

export type Price = z.output<typeof price>
export type PriceRule = Exclude<Price, number>

/** A price by rows that says nothing of answers without them. Publishing refuses it; versions of earlier releases may have it. */
export const isUncapped = (rule: PriceRule): boolean =>
  'rows' in rule && rule.most === undefined && rule.missing === undefined

/** What is wrong with a rule, beyond its form. */
export function priceProblem(rule: PriceRule, kind: string): string | undefined {
  if (isUncapped(rule))
    return 'a price by rows needs most, which an answer without the array costs; or missing: 0, if that is free'
  if (!('unit' in rule)) return undefined
  const { unit, most, floor } = rule
  if ('header' in unit && kind === 'mcp') return 'results of MCP tools have no headers; use a pointer'
  if (floor === undefined) return undefined
  if (kind === 'mcp') return 'results of MCP tools are not streams, so a floor does nothing'
  if ('header' in unit) return 'floor is for a price at a pointer: a header is known before the customer can leave'
  return floor > most ? `floor must not be more than most, ${most}` : undefined
}
