/** Masking in tables: the first 8 characters, then a fixed number of dots, which hide the length. */
export function maskKey(key: string): string {
  return `${key.slice(0, 8)}${'•'.repeat(12)}`
}

/** The same on one line beside the key's name. */
export const startOfKey = (key: string): string => `${key.slice(0, 8)}…`

/** A shortened key: first 8 and last 8 characters; short values whole, anything but a string is 'Invalid API Key'. */
export function shortenKey(key: unknown): string {
  if (typeof key !== 'string' || key === '') return 'Invalid API Key'
  return key.length <= 16 ? key : `${key.slice(0, 8)}...${key.slice(-8)}`
}

/** Text without API keys, whatever prefix the shop chose, and access tokens. */
export const withoutKeys = (text: string): string =>
  text.replace(/fm(?:at|ac|rt)?_[\w-]{20,}|[a-z]{2,4}_[0-9A-Za-z]{38}/g, 'YOUR_API_KEY')
