import { money } from '../../lib/format.ts'

/** Revenue in each currency, that of the product first. */
export const revenueText = (mrr: Record<string, number>, currency: string): string =>
  [...new Set([currency, ...Object.keys(mrr)])]
    .flatMap((one) => (mrr[one] || one === currency ? [money(mrr[one] ?? 0, one)] : []))
    .join(' and ')
