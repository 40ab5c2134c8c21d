/** A person or company on a receipt. */
interface Party {
  name: string
  /** Address, tax IDs, and what else identifies it. */
  lines: string[]
}

/**
 * A receipt of ours for a paid invoice, in the words of its reader. The invoice is the payment provider's, and so is its number
 * (docs/decisions/0140-receipts-are-ours-invoices-are-the-providers.md).
 */
export interface Receipt {
  /** No money moved: the provider's test mode, or its sandbox. */
  test: boolean
  /** Of the invoice. */
  number: string
  paidAt: Date
  facts: { label: string; value: string }[]
  seller: Party
  buyer: Party
  /** Without tax. `about`: the period and what it granted. */
  lines: { text: string; about: string; amount: string }[]
  /** From the sum without tax to what is left of the payment. */
  totals: { text: string; amount: string; strong: boolean }[]
  notes: string[]
}

/** The characters of the built-in fonts of PDF. */
const WESTERN = /^[\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/

export const isWestern = (text: string): boolean => WESTERN.test(text)

/** Whether a PDF can show all of it. If not, a page with the reader's own fonts can. */
export const isDrawable = ({ facts, seller, buyer, lines, totals, notes }: Receipt): boolean =>
  [facts, seller, buyer, lines, totals, notes].every(function western(part: unknown): boolean {
    if (typeof part === 'string') return isWestern(part)
    return part !== null && typeof part === 'object' ? Object.values(part).every(western) : true
  })
