import { exponentOf } from '#contract/currency.ts'
import { formatUtcDate, formatWhole } from '../../lib/format.ts'

export const creditsText = {
  credits: 'API credits',
  creditsLoading: 'Loading credits...',
  creditsFailed: 'Failed to fetch credits',
  unit: 'credits left',
  unlimited: 'Unlimited',
  payAsYouGo: 'Calls are billed as pay-as-you-go',
  buyCredits: 'Buy credits',
  automatic: 'Automatic top-up',
  automaticOn: (threshold: number, packs: number) =>
    `Below ${formatWhole(threshold)} credits, we buy ${packs === 1 ? '1 pack' : `${formatWhole(packs)} packs`}, or more if needed to get back to that level.`,
  automaticOff: (billed: boolean) =>
    billed ? 'Off. Calls are billed when credits run out.' : 'Off. Calls stop when credits run out.',
  burnDown: 'Credits this period',
  left: 'Credits left',
  ahead: 'At the pace of the last 7 days',
  added: (credits: number) => `+${formatWhole(credits)}`,
  pace: (perDay: number) => `${formatWhole(Math.max(1, perDay))} credits a day over the last 7 days.`,
  runOut: (day: Date) => `At this pace they run out on ${formatUtcDate(day)}.`,
  planGives: (credits: number) => `Included in the plan: ${formatWhole(credits)} credits`,
  unused: 'None used yet. After a call, a chart here shows the credits left each day.',
  call: 'Open Playground',
  burnDownLoading: 'Loading credit history...',
  burnDownFailed: 'Failed to load credit history',
}

export const topupText = {
  title: 'Buy credits',
  about: (credits: number, price: string) =>
    `A pack of ${formatWhole(credits)} credits costs ${price}. Plan credits are spent first.`,
  packs: 'Packs',
  packsHint: 'From 1 to 1,000.',
  packsWrong: 'Enter a whole number from 1 to 1,000.',
  balance: (before: number, after: number) =>
    `You have ${formatWhole(before)} credits, and ${formatWhole(after)} after this purchase.`,
  presets: 'Number of packs',
  saveCard: 'Save the card for automatic top-ups',
  sum: (credits: number, price: string) => `${formatWhole(credits)} credits for ${price}`,
  pay: 'Continue to payment',
  processing: 'Processing...',
  failed: 'The payment page could not be opened.',
}

const suspendedForCurrency =
  'Automatic top-up stopped because its limit is in a currency that you do not pay in, or credits are not sold in it. Save it again to restart it.'

export const autoTopupText = {
  title: 'Automatic top-up',
  about: 'Buys credits with your saved card when you run low.',
  enabled: 'Buy credits automatically',
  threshold: 'Buy below',
  thresholdHint: 'Credits left. We buy enough packs to get back to this level.',
  thresholdWrong: 'Enter a whole number from 0 to 1,000,000,000.',
  packs: 'Minimum packs',
  packsHint: (credits: number, price: string) => `A pack of ${formatWhole(credits)} credits costs ${price}.`,
  cap: (currency: string) => `Monthly limit (${currency === 'usd' ? '$' : currency.toUpperCase()})`,
  capHint: 'Leave blank for no limit.',
  capHintTaxed: 'Tax counts toward it. Leave blank for no limit.',
  capWrong: (currency: string) =>
    `Enter an amount such as ${exponentOf(currency) === 0 ? '5000' : '50 or 49.90'}, or leave it blank.`,
  capLow: (price: string) => `Enter at least ${price}, the price of one top-up, or leave it blank.`,
  save: 'Save',
  saving: 'Saving...',
  saved: 'Automatic top-up saved',
  failed: 'Automatic top-up could not be saved.',
  suspended: 'Automatic top-up stopped because the card was declined. Save it again to restart it.',
  causes: {
    currency_changed: suspendedForCurrency,
    no_price: suspendedForCurrency,
    no_location: 'Automatic top-up stopped because your billing address is missing. Add it under Tax details.',
    tax_unavailable: 'Automatic top-up stopped because the tax could not be computed. Save it again to restart it.',
  } as Record<string, string>,
  confirm: 'Your bank needs you to confirm a payment.',
  confirmLink: 'Confirm the payment',
}

export const spendCapText = {
  title: 'Spend cap',
  about:
    'Pay-as-you-go calls are refused once they cost this much in a month. At 80% and 100% we email you and call your webhook.',
  none: 'No limit. Every call is billed.',
  set: (amount: string) => `${amount} per month. Calls stop when you reach it.`,
  other: (amount: string, currency: string) =>
    `${amount} per month, but your plan is billed in ${currency}. Set it in ${currency}: until then, calls stop when credits run out.`,
  saved: 'Spend cap saved',
  failed: 'The spend cap could not be saved.',
}
