/** Currencies whose amounts the payment provider counts in other units than hundredths. */
const whole = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'
const thousandths = 'bhd jod kwd omr tnd'

/** What agents pay in: a token that is counted as a dollar. No ISO code, so that it is never added to dollars. */
export const stablecoin = 'usdc'

/** Decimals of a currency's amounts. `currency`: ISO code, lower case, as everywhere. */
export const exponentOf = (currency: string): number =>
  currency === stablecoin ? 6 : whole.includes(currency) ? 0 : thousandths.includes(currency) ? 3 : 2

/** What the provider rounds amounts to: it charges currencies of three decimals in tens. */
export const stepOf = (currency: string): number => (exponentOf(currency) === 3 ? 10 : 1)

/**
 * An amount in minor units as text: with all decimals of its currency if `exact`, for invoices. Else without decimals if it is whole,
 * and with up to two more than the currency has, for prices of a request.
 */
export function formatMoney(minor: number, currency: string, exact = false): string {
  const exponent = exponentOf(currency)
  const amount = minor / 10 ** exponent
  if (currency === stablecoin)
    return new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'usd',
      maximumFractionDigits: exponent,
    }).format(amount)
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    minimumFractionDigits: exact || !Number.isInteger(amount) ? exponent : 0,
    maximumFractionDigits: exact ? exponent : exponent + 2,
  }).format(amount)
}

/** `USD and JPY`, or with another word, `USD, EUR or JPY`. */
export const listCurrencies = (currencies: readonly string[], word: 'and' | 'or' = 'and'): string =>
  // British, for a list without the comma before its last word.
  new Intl.ListFormat('en-GB', { type: word === 'and' ? 'conjunction' : 'disjunction' }).format(
    currencies.map((one) => one.toUpperCase()),
  )
