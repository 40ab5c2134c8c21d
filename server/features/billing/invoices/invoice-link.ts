import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'

const LIFETIME_S = 15 * 60
const PURPOSE = 'invoice-link'

type Needs = Pick<Deps, 'config' | 'secrets'>

/**
 * A link to an invoice's PDF that works for fifteen minutes without a session, since a browser download sends no bearer
 * token. Bound to account and invoice, and renewed with every list.
 */
export function signInvoiceLink(deps: Needs, accountId: number, invoiceId: string, nowMs: number): string {
  const expires = Math.floor(nowMs / 1000) + LIFETIME_S
  const signature = deps.secrets.mac(PURPOSE, signedText(accountId, invoiceId, expires)).toString('base64url')
  return `${deps.config.PUBLIC_URL}/billing/invoices/${invoiceId}/pdf?expires=${expires}&signature=${signature}`
}

export interface InvoiceLink {
  invoiceId: string
  /** Unix seconds. */
  expires: number
  signature: string
}

/** Throws not_found for a forged, altered or foreign link, and says so when a link has expired. */
export function checkInvoiceLink(deps: Needs, accountId: number, link: InvoiceLink, nowMs: number): void {
  const text = signedText(accountId, link.invoiceId, link.expires)
  if (!deps.secrets.isMac(PURPOSE, text, Buffer.from(link.signature, 'base64url')))
    throw new AppError('not_found', INVALID_LINK)
  if (link.expires * 1000 < nowMs)
    throw new AppError('not_found', 'This link has expired. Open the invoice list again.')
}

export const INVALID_LINK = 'This link is not valid. Open the invoice list again.'

const signedText = (accountId: number, invoiceId: string, expires: number): string =>
  `${accountId}\n${invoiceId}\n${expires}`
