import { invalid } from '../api/errors.ts'
import type { Body, CurrencyOption, Customer, Price } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { exponentOf } from './money.ts'

/** What a price costs in a currency: its own amounts, or those of its `currency_options`. */
export function optionOf(price: Price, currency: string, param = 'price'): CurrencyOption {
  const { unit_amount, unit_amount_decimal, tax_behavior } = price
  if (currency === price.currency) return { unit_amount, unit_amount_decimal, tax_behavior }
  const option = price._options?.[currency]
  if (option) return option
  const known = [price.currency, ...Object.keys(price._options ?? {})].map((name) => `\`${name}\``).join(', ')
  throw invalid(
    `The price specified supports currencies of ${known} which doesn't include the expected currency of \`${currency}\`.`,
    { param },
  )
}

/** Refuses a second currency while a subscription or an invoice item that waits is in the first. */
export async function assertOneCurrency(tx: Session, customer: string, currency: string): Promise<void> {
  const subscriptions = await tx.find<Body>('subscription', { customer, ended_at: null })
  const items = await tx.find<Body>('invoiceitem', { customer, invoice: null })
  const other = [...subscriptions, ...items].find((one) => one.currency !== currency)
  if (other)
    throw invalid(
      `You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency ${other.currency}`,
      { param: 'currency' },
    )
}

/** Amounts in three-decimal currencies must end in zero. */
export function assertPayable(amount: number, currency: string, param: string): void {
  if (exponentOf(currency) === 3 && amount % 10 !== 0)
    throw invalid(`Invalid amount: the last digit of an amount in ${currency} must be 0.`, { param })
}

/** The customer's balance in a currency. `balance` is in the currency of the first invoice. */
export function balanceIn(customer: Customer, currency: string): number {
  const home = customer._home ?? currency
  return currency === home ? customer.balance : (customer._balances?.[currency] ?? 0)
}

export function setBalance(customer: Customer, currency: string, balance: number): void {
  customer._home ??= currency
  if (currency === customer._home) customer.balance = balance
  else customer._balances = { ...customer._balances, [currency]: balance }
}
