/** A tool call and its cost, for the message that reports it. */
export interface MadeCall {
  serverName: string
  tool: string
  arguments: Record<string, unknown>
  /** Charged credits; null if the server does not say. */
  credits: number | null
  /** Credits left afterward; null if the server does not say. */
  remaining: number | 'unlimited' | null
  receipts: string[]
  durationMs: number | null
  /** Entries of the log. */
  entries: string[]
  /** The symbols of a comparison, which takes one call for each. */
  compared?: string[]
}

/** The cost of a call, as its server reports it. */
export function costOf(result: unknown): Pick<MadeCall, 'credits' | 'remaining' | 'receipts'> {
  const meta = (result as { _meta?: Record<string, unknown> } | null)?._meta ?? {}
  const credits = meta['finmeter/credits-charged']
  const remaining = meta['finmeter/credits-remaining']
  const receipt = meta['finmeter/receipt-id']
  return {
    credits: typeof credits === 'number' ? credits : null,
    remaining: typeof remaining === 'number' || remaining === 'unlimited' ? remaining : null,
    receipts: typeof receipt === 'string' ? [receipt] : [],
  }
}

/** Several calls as one: what they cost together, and what is left after the last. */
export function together([first, ...others]: readonly [MadeCall, ...MadeCall[]], compared: string[]): MadeCall {
  const all = [first, ...others]
  const sum = (values: readonly (number | null)[]) =>
    values.every((value) => value !== null) ? values.reduce((total, value) => total + value, 0) : null
  const left = all.map(({ remaining }) => remaining).filter((remaining) => remaining !== null)
  const numbers = left.filter((remaining) => typeof remaining === 'number')
  return {
    ...first,
    credits: sum(all.map(({ credits }) => credits)),
    remaining: numbers.length > 0 ? Math.min(...numbers) : (left[0] ?? null),
    receipts: all.flatMap(({ receipts }) => receipts),
    durationMs: sum(all.map(({ durationMs }) => durationMs)),
    entries: all.flatMap(({ entries }) => entries),
    compared,
  }
}
