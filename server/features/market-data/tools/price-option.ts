import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { dayText, parseDay } from '../dates.ts'
import { blackScholes, impliedVolatility, type Option, priceBounds } from '../options/black-scholes.ts'
import { rounded } from '../statistics/returns.ts'
import { dateInput } from './inputs.ts'
import { today } from './rate-inputs.ts'

const DAYS_PER_YEAR = 365
const MAX_DAYS = 36_500

export const priceOption = defineTool({
  name: 'price_option',
  title: 'Option price and Greeks',
  description:
    'A European option by Black-Scholes-Merton: price and Greeks from a volatility, or implied volatility and Greeks from a market_price. Send exactly one of volatility and market_price, and exactly one of days and expiry. Rates, yield and volatility are yearly fractions (0.2 is 20 %), continuously compounded. theta is per calendar day, vega and rho per percentage point. 1 credit.',
  input: z.strictObject({
    type: z.enum(['call', 'put']).describe('Right to buy or to sell'),
    spot: z.number().positive().max(1e9).describe('Price of the underlying'),
    strike: z.number().positive().max(1e9).describe('Strike price'),
    days: z.number().positive().max(MAX_DAYS).optional().describe('Calendar days to expiry; a year has 365'),
    expiry: dateInput.optional().describe('Instead of days, counted from today (UTC)'),
    rate: z.number().min(-1).max(5).describe('Risk-free rate, such as 0.05'),
    volatility: z.number().positive().max(10).optional().describe('Such as 0.2'),
    market_price: z.number().positive().max(1e9).optional().describe('Instead of volatility'),
    dividend_yield: z.number().min(-1).max(5).default(0).describe('Continuous yield'),
  }),
  output: tableOutput,
  kind: 'table',
  whole: 'One row.',
  credits: { kind: 'fixed', credits: 1 },
  example: { type: 'call', spot: 42, strike: 40, days: 182.5, rate: 0.1, volatility: 0.2 },
  errors: ['result_out_of_range'],
  rest: { method: 'POST', path: '/v1/options/price' },
  run({
    type,
    spot,
    strike,
    rate,
    volatility,
    market_price: marketPrice,
    dividend_yield: dividendYield,
    ...when
  }): Table {
    const days = daysLeft(when)
    if ((volatility === undefined) === (marketPrice === undefined))
      throw new AppError(
        'invalid_parameter',
        'Send either volatility (to get a price) or market_price (to get the implied volatility).',
        { param: 'volatility' },
      )
    const contract = { type, spot, strike, years: days / DAYS_PER_YEAR, rate, dividendYield }
    const used = volatility ?? solve(contract, marketPrice!)
    const { price, delta, gamma, vega, theta, rho } = blackScholes({ ...contract, volatility: used })
    const clean = (value: number) => rounded(value, 8)
    if (![price, delta, gamma, vega, theta, rho, used].every((value) => Number.isFinite(clean(value))))
      throw new AppError('result_out_of_range', 'These inputs are too extreme: a result would not be a finite number.')
    return {
      columns: ['price', 'delta', 'gamma', 'vega', 'theta', 'rho', 'volatility', 'intrinsic'],
      rows: [
        [
          clean(price),
          clean(delta),
          clean(gamma),
          clean(vega / 100),
          clean(theta / DAYS_PER_YEAR),
          clean(rho / 100),
          clean(used),
          Math.max(0, type === 'call' ? spot - strike : strike - spot),
        ],
      ],
      meta: {
        row_count: 1,
        model: 'European, Black-Scholes-Merton',
        days,
        volatility_is: volatility === undefined ? 'implied' : 'given',
        warnings: [],
      },
      next_cursor: null,
    }
  },
})

function daysLeft({ days, expiry }: { days?: number | undefined; expiry?: string | undefined }): number {
  if ((days === undefined) === (expiry === undefined))
    throw new AppError('invalid_parameter', 'Send either days or expiry.', { param: 'expiry' })
  if (expiry === undefined) return days!
  const from = today()
  const left = parseDay(expiry) - from
  if (left > 0 && left <= MAX_DAYS) return left
  throw new AppError(
    'invalid_parameter',
    `expiry: expected a date from ${dayText(from + 1)} to ${dayText(from + MAX_DAYS)}.`,
    { param: 'expiry' },
  )
}

function solve(contract: Omit<Option, 'volatility'>, price: number): number {
  const volatility = impliedVolatility(contract, price)
  if (volatility !== null) return volatility
  const { least, most } = priceBounds(contract)
  throw new AppError(
    'invalid_parameter',
    `market_price: no volatility implies ${price}; a European ${contract.type} here is worth between ${rounded(least, 4)} and ${rounded(most, 4)}.`,
    { param: 'market_price' },
  )
}
