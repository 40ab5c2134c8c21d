import type { Plan } from '#contract/billing.ts'

const notes = { exclusive: 'plus tax', inclusive: 'tax included' }

/** What a price says of tax; null where none is computed. */
export const taxNote = ({ tax_behavior: behavior }: Pick<Plan, 'tax_behavior'>): string | null =>
  behavior ? notes[behavior] : null

/** The text after an amount, with what it says of tax. */
export const withTax = (per: string, plan: Pick<Plan, 'tax_behavior'>): string =>
  [per, taxNote(plan)].filter(Boolean).join(', ')
