const names: Record<string, string> = {
  dollar: 'USD',
  dollars: 'USD',
  euro: 'EUR',
  euros: 'EUR',
  pound: 'GBP',
  pounds: 'GBP',
  yen: 'JPY',
  franc: 'CHF',
  francs: 'CHF',
  bitcoin: 'BTC',
}
const codes = new Set([...Intl.supportedValuesOf('currency'), 'BTC', 'ETH', 'XAU', 'XAG'])

/** The code of a currency by code or name; null for any other word. */
export function currencyCode(word: string): string | null {
  const code = names[word.toLowerCase()] ?? word.toUpperCase()
  return codes.has(code) ? code : null
}
