/** What a price counts, by its kind; as in server/features/tools/listing/price-text.ts. */
const things: Record<string, string> = { rows: 'row', unit: 'unit', kib: 'KiB' }

/** A tool's price in words, from the rule in its definition; null if a server gives none. */
export function priceWords(rule: unknown): string | null {
  const {
    kind = 'fixed',
    credits,
    perRows,
    per = perRows ?? 1,
    most,
  } = (rule ?? {}) as Record<string, unknown> & {
    kind?: string
  }
  if (typeof credits !== 'number') return null
  if (credits === 0) return 'free'
  const thing = things[kind]
  if (thing === undefined) return creditsText(credits)
  const count = per === 1 ? thing : `${Number(per).toLocaleString('en-US')} ${thing}s`
  const limit = typeof most === 'number' ? `, ${creditsText(most)} at most` : ''
  return `${creditsText(credits)} per ${count}${limit}`
}

const creditsText = (credits: number): string =>
  credits === 1 ? '1 credit' : `${credits.toLocaleString('en-US')} credits`
