import type { PaymentView, paymentProducts } from '#contract/operator/payment-routes.ts'

type Product = (typeof paymentProducts)[number]

export interface PaymentsSearch {
  state?: PaymentView
  product?: Product
  payer?: string
}

/** What most wants attention first. */
export const viewText: Record<PaymentView, string> = {
  unknown: 'Undecided',
  open: 'Under way',
  settled: 'Settled',
  failed: 'Failed',
  released: 'Not used',
}

export const productText: Record<Product, string> = { call: 'Call', balance: 'Balance' }

/** Absent in the address: undecided payments if there are any, else settled ones. */
export const readPaymentsSearch = ({ state, product, payer }: Record<string, unknown>): PaymentsSearch => ({
  ...(String(state) in viewText && { state: state as PaymentView }),
  ...(String(product) in productText && { product: product as Product }),
  ...(typeof payer === 'string' && payer.trim() !== '' && { payer: payer.trim().slice(0, 100) }),
})
