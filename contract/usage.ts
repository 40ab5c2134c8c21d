import { z } from 'zod'

/** Ranges up to now, in UTC: 24 hours by the hour, or days. The current hour or day is the last one. */
export const usageQuery = z.strictObject({ range: z.enum(['24h', '7d', '30d', '90d']).default('30d') })

/** Calls of one hour or day starting at `time`: successful, and failed on our side. */
const usageBucket = z.object({ time: z.iso.datetime(), success: z.int(), failed: z.int() })

export type UsageRange = z.infer<typeof usageQuery>['range']

/** The calls of one key. Buckets without calls are absent; the oldest is first. The playground has no key: null. */
export const keyAnalytics = z.object({
  unkeyId: z.uuid().nullable(),
  keyName: z.string(),
  data: z.array(usageBucket),
})
export type KeyAnalytics = z.infer<typeof keyAnalytics>

/**
 * Latency of the calls' work in ms, including failed calls, without credential checks and charging. From histograms: at
 * least the exact percentile, and at most 25 percent above it.
 */
const latency = z.object({ p50: z.int(), p95: z.int(), p99: z.int() })
export type Latency = z.infer<typeof latency>

/** Totals of the range, for one key or all. */
export const usageTotals = z.object({
  totalRequests: z.int(),
  successfulRequests: z.int(),
  failedRequests: z.int(),
  /**
   * Refused calls (400 to 429), which are free and not included in the other figures. Counted within a second or two.
   */
  refusedRequests: z.int(),
  /** The same by hour or day, starting at `time`, oldest first; without those that had none. */
  refusals: z.array(z.object({ time: z.iso.datetime(), refused: z.int() })),
  /** Percent, 0 to 100; 0 without requests. */
  avgSuccessRate: z.number(),
  /** Since the first of the UTC month, whatever the range. */
  requestsThisMonth: z.int(),
  /** null without requests. */
  latency: latency.nullable(),
})
export type UsageTotals = z.infer<typeof usageTotals>

/** The preceding range of equal length, up to the same hour of its last day, so that the two can be compared. */
const previousUsage = usageTotals.pick({ totalRequests: true, avgSuccessRate: true, latency: true })
export type PreviousUsage = z.infer<typeof previousUsage>

/** Usage of the workspace, with the five keys with the most requests. */
export const usage = usageTotals.extend({
  /** null if the workspace made its first call after that range started. */
  previous: previousUsage.nullable(),
  analytics: z.array(keyAnalytics),
  topApiKeys: z.array(z.object({ keyId: z.uuid().nullable(), name: z.string(), requests: z.int() })),
})
export type Usage = z.infer<typeof usage>

/** What a key called since `since`, most calls first: at most seven days, and fewer in a workspace with many calls. */
const toolShares = z.object({
  since: z.iso.datetime(),
  tools: z.array(z.object({ tool: z.string(), calls: z.int(), failed: z.int(), credits: z.int() })),
})
export type ToolShares = z.infer<typeof toolShares>

export const keyUsage = usageTotals.extend({ analytics: keyAnalytics, recent: toolShares })

const moment = z.iso.datetime({
  offset: true,
  error: 'must be a date and time with its offset, such as 2026-11-21T00:00:00Z',
})

/**
 * Filters calls. `keyId`: `playground` selects calls without a key. `tool`: a tool's name. Times are from `from`
 * (inclusive) to `to` (exclusive).
 */
export const receiptsFilter = z.strictObject({
  keyId: z.string().optional(),
  tool: z.string().optional(),
  status: z.enum(['success', 'failed']).optional(),
  from: moment.optional(),
  to: moment.optional(),
})
export type ReceiptsFilter = z.infer<typeof receiptsFilter>

/**
 * A page of the calls that match the filter. `cursor` is the `nextCursor` of the previous page. A filtered page may
 * have fewer than `limit` calls, even none, before the end: only a null `nextCursor` means the end.
 */
export const receiptsQuery = receiptsFilter.extend({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().optional(),
})

/** One metered call, as it was charged. */
export const receipt = z.object({
  id: z.string(),
  time: z.iso.datetime(),
  tool: z.string(),
  keyId: z.uuid().nullable(),
  keyName: z.string(),
  status: z.enum(['success', 'failed']),
  /** What the call cost: `fromCredits` of the balance, `fromPayAsYouGo` of units billed later. */
  credits: z.int(),
  fromCredits: z.int(),
  fromPayAsYouGo: z.int(),
  durationMs: z.int(),
})
export type Receipt = z.infer<typeof receipt>

const eventName = z
  .string('is required')
  .regex(
    /^[a-z][a-z0-9_.-]{0,63}$/,
    'must be a name such as call_failed: up to 64 lower case letters, digits, dots, hyphens and underscores',
  )

/**
 * A client's report, in its own words, that an answer never came or was wrong. It is stored with the receipt for
 * support and never changes credits or usage.
 */
export const newUsageReport = z.strictObject({
  event: eventName,
  receiptId: z.string().optional(),
  message: z.string().max(2000, 'must be at most 2000 characters').optional(),
})

export const usageReport = z.object({
  id: z.int(),
  time: z.iso.datetime(),
  event: z.string(),
  receiptId: z.string().nullable(),
  message: z.string().nullable(),
})
export type UsageReport = z.infer<typeof usageReport>

/**
 * One entry per UTC day, oldest first: credits left at the end of the day, and credits spent that day. The last entry
 * is today, so far.
 */
export const creditHistory = z.object({
  days: z.array(z.object({ date: z.iso.date(), remaining: z.int(), spent: z.int() })),
})
export type CreditHistory = z.infer<typeof creditHistory>
