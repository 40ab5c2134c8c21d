import type { Plan } from '#contract/billing.ts'

const notes = { exclusive: 'plus tax', inclusive: 'tax included' }

/** The text after an amount, with what it says of tax; where none is computed, it says nothing. */
export const withTax = (per: string, { tax_behavior: behavior }: Pick<Plan, 'tax_behavior'>): string =>
  behavior ? (per && `${per}, `) + notes[behavior] : per
