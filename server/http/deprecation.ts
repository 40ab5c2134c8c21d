import type { Deprecation } from '#contract/deprecation.ts'

const dayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/**
 * `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of an answer, with the guide that says what they mean. `publicUrl` is the
 * address of this installation.
 */
export const deprecationHeaders = ({ since, ends }: Deprecation, publicUrl: string): Record<string, string> => ({
  deprecation: `@${dayMs(since) / 1000}`,
  ...(ends && { sunset: new Date(dayMs(ends)).toUTCString() }),
  link: `<${publicUrl}/docs/deprecation>; rel="deprecation"; type="text/html"`,
})

/** In words, for documents. */
export const deprecationText = ({ since, ends, instead }: Deprecation): string =>
  `Deprecated since ${since}${ends ? `, ends on ${ends}` : ''}. ${instead}`

/** Throws for dates that are none, or an end before the beginning. `what` begins the message. */
export function checkDeprecation(what: string, { since, ends = since }: Deprecation): void {
  const isDay = (day: string) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(dayMs(day))
  if (!isDay(since) || !isDay(ends)) throw new Error(`${what}: dates of a deprecation are written as 2026-01-31.`)
  if (dayMs(ends) < dayMs(since)) throw new Error(`${what}: it cannot end before it is deprecated.`)
}
