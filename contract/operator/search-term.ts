/** What a search term is, so that one index is asked and not all. */
export type TermKind =
  | 'receipt'
  | 'key'
  | 'id'
  | 'payment_customer'
  | 'invoice'
  | 'payment'
  | 'charge'
  | 'subscription'
  | 'refund'
  | 'event'
  | 'transaction'
  | 'payer'
  | 'email'
  | 'domain'
  | 'invoice_number'
  | 'name'

export interface SearchTerm {
  kind: TermKind
  /** What is sent: of an API key, only its prefix. */
  value: string
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const provider: Record<string, TermKind> = {
  cus: 'payment_customer',
  in: 'invoice',
  pi: 'payment',
  ch: 'charge',
  py: 'charge',
  sub: 'subscription',
  re: 'refund',
  evt: 'event',
}
/** `fm_` and more: the prefix of a key is two to four letters, `start` what the console knows of it. */
const keyLike = /(?<![0-9A-Za-z_])(?<start>(?<prefix>[a-z]{2,4})_[0-9A-Za-z]{1,5})[0-9A-Za-z]*/
/** Other secrets that a clipboard may hold: tokens, and the payment provider's keys. */
const otherSecret = /eyJ[\w-]{10,}\.|\b[srp]k_(live|test)_|\bwhsec_/

/**
 * Recognizes a search term. An API key, also within other text such as a header, is cut to the start that tables show: the rest
 * is never sent. Null: nothing to search for, or another secret.
 */
export function readTerm(given: string): SearchTerm | null {
  const text = given.trim()
  if (text === '' || otherSecret.test(text)) return null
  if (/^rcpt_[\w-]+$/.test(text)) return { kind: 'receipt', value: text }
  if (uuid.test(text)) return { kind: 'id', value: text.toLowerCase() }
  const [, prefix = ''] = /^([a-z]+)_\w+$/.exec(text) ?? []
  // A key of 38 characters is one, whatever its prefix: a shop may have chosen `sub_`.
  const isKey = /^[a-z]{2,4}_[0-9A-Za-z]{38}$/.test(text)
  if (provider[prefix] && !isKey) return { kind: provider[prefix], value: text }
  const key = keyLike.exec(text)
  if (key?.groups && (isKey || !provider[key.groups.prefix!])) return { kind: 'key', value: key.groups.start! }
  if (/^0x[0-9a-f]{64}$/i.test(text)) return { kind: 'transaction', value: text.toLowerCase() }
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { kind: 'payer', value: text.toLowerCase() }
  // Half of a key, or something else that is long and random, is nobody's name.
  if (/[0-9A-Za-z]{32,}/.test(text)) return null
  const value = text.slice(0, 100)
  if (/^[^@\s]+@[^@\s]+$/.test(value)) return { kind: 'email', value: value.toLowerCase() }
  if (/^@?[\p{L}\d-]+(\.[\p{L}\d-]+)*\.\p{L}{2,}$/u.test(value))
    return { kind: 'domain', value: value.replace('@', '').toLowerCase() }
  if (/^[A-Za-z0-9]{3,}-\d{3,}(-\d+)*$/.test(value)) return { kind: 'invoice_number', value: value.toUpperCase() }
  return { kind: 'name', value }
}
