export interface FinanceSearch {
  /** A UTC month: `2026-11`. */
  month?: string
  /** A UTC day: `2026-11-27`. */
  day?: string
}

const matching = (value: unknown, form: RegExp): string | null =>
  typeof value === 'string' && form.test(value) ? value : null

/** What the addresses of the finance pages keep. A value that is none is left out. */
export function readFinanceSearch(search: Record<string, unknown>): FinanceSearch {
  const month = matching(search.month, /^20\d\d-(0[1-9]|1[0-2])$/)
  const day = matching(search.day, /^20\d\d-\d\d-\d\d$/)
  return { ...(month && { month }), ...(day && { day }) }
}
