import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'

const LIFETIME_S = 15 * 60
const PURPOSE = 'invoice-link'

type Needs = Pick<Deps, 'config' | 'secrets'>

/**
 * A link to an invoice's PDF, or to its receipt, that works for fifteen minutes without a session, since a browser download sends no bearer
 * token. Bound to person, account and invoice, and renewed with every list.
 */
export function signInvoiceLink(
  deps: Needs,
  { accountId, userId }: Reader,
  invoiceId: string,
  file: 'pdf' | 'receipt',
  nowMs: number,
): string {
  const expires = Math.floor(nowMs / 1000) + LIFETIME_S
  const text = signedText({ accountId, userId }, invoiceId, expires)
  const signature = deps.secrets.mac(PURPOSE, text).toString('base64url')
  return `${deps.config.PUBLIC_URL}/billing/invoices/${invoiceId}/${file}?person=${userId}&expires=${expires}&signature=${signature}`
}

export interface Reader {
  accountId: number
  userId: string
}

export interface InvoiceLink {
  invoiceId: string
  /** The user that the link was made for. */
  userId: string
  /** Unix seconds. */
  expires: number
  signature: string
}

/** Throws not_found for a forged, altered or another account's link, and says so when a link has expired. */
export function checkInvoiceLink(deps: Needs, accountId: number, link: InvoiceLink, nowMs: number): void {
  const text = signedText({ accountId, userId: link.userId }, link.invoiceId, link.expires)
  if (!deps.secrets.isMac(PURPOSE, text, Buffer.from(link.signature, 'base64url')))
    throw new AppError('not_found', INVALID_LINK)
  if (link.expires * 1000 < nowMs)
    throw new AppError('not_found', 'This link has expired. Open the invoice list again.')
}

export const INVALID_LINK = 'This link is not valid. Open the invoice list again.'

const signedText = ({ accountId, userId }: Reader, invoiceId: string, expires: number): string =>
  `${accountId}\n${userId}\n${invoiceId}\n${expires}`
