import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import type { KnowledgePrompt } from '../../mcp/knowledge.ts'
import type { MarketData } from '../market-data.ts'
import type { Serves } from './instructions.ts'

const MAX_ARGUMENT_LENGTH = 200
/** One line: user input must not add instructions to the message. */
const line = z
  .string()
  .trim()
  .min(1)
  .max(MAX_ARGUMENT_LENGTH)
  .refine((text) => !/[\p{Cc}]/u.test(text), { error: 'must be one line of plain text' })

interface Prompt extends KnowledgePrompt {
  /** Those that its text names. */
  tools: readonly string[]
  write: (given: Record<string, string>) => string
}

const prompts: readonly Prompt[] = [
  {
    name: 'analyze_stock',
    title: 'Analyze a stock',
    description: 'Price, trend, risk and statements of one company, with the dates of the data.',
    arguments: [{ name: 'symbol', description: 'Symbol, such as AAPL', required: true }],
    tools: ['get_company', 'summarize_prices', 'compute_indicator', 'get_financials', 'get_corporate_actions'],
    write: ({ symbol }) =>
      [
        `Analyze ${symbol} with this server's data.`,
        '1. get_company for what is available. 2. summarize_prices over 1y and 5y with benchmark SPX. 3. compute_indicator rsi and sma (period 200).',
        '4. get_financials (income, then ratios) if there are statements. 5. get_corporate_actions of the last five years.',
        'Report in five short sections: what it is, performance, risk, trend, business. Give the date of every figure and say plainly that old data are old. No advice.',
      ].join('\n'),
  },
  {
    name: 'compare_assets',
    title: 'Compare assets',
    description: 'Return, risk and correlation of several symbols over the sessions that they share.',
    arguments: [
      { name: 'symbols', description: 'Two to ten symbols, separated by commas', required: true },
      { name: 'range', description: '1y (default), 5y or max', required: false },
    ],
    tools: ['summarize_prices', 'analyze_portfolio'],
    write: ({ symbols, range = '1y' }) =>
      [
        `Compare ${symbols} over ${range}.`,
        'Use summarize_prices for all at once, then analyze_portfolio with equal weights for correlations over common sessions.',
        'One table: return, yearly growth, volatility, deepest fall, Sharpe. Then three sentences on what differs and why. State the period really used.',
      ].join('\n'),
  },
  {
    name: 'macro_snapshot',
    title: 'Macro snapshot',
    description: 'Inflation, rates, employment and valuation from the available economic series.',
    arguments: [
      { name: 'to', description: 'Date, such as 2009-12-31; default: the latest available', required: false },
    ],
    tools: ['get_economic_series', 'list_datasets'],
    write: ({ to }) =>
      [
        `Give a macro snapshot${to ? ` as of ${to}` : ''} from this server's economic series.`,
        `Use get_economic_series${to ? ` with to ${to}` : ''}: US.CPI in yoy, US.SHILLER.RATE10Y, US.SHILLER.CAPE, US.JOBS.NONFARM in change; list_datasets shows what else is available.`,
        'Four lines, one per theme, each with value, date and change over a year. Mark estimates. Say which series ended earlier.',
      ].join('\n'),
  },
]

/** Those whose tools are served, and whose data there are. */
export const promptsOf = (serves: Serves, { manifests, series }: MarketData): readonly Prompt[] =>
  prompts.filter(
    ({ name, tools }) =>
      tools.every(serves) &&
      (name === 'macro_snapshot' ? series.has('US.CPI') : manifests.some(({ kind }) => kind === 'bars')),
  )

/** The message of one of `served`. Throws not_found, or invalid_parameter for missing, unknown or invalid arguments. */
export function writePrompt(
  served: readonly Prompt[],
  name: string,
  given: Record<string, string>,
): { description: string; text: string } {
  const prompt = served.find((one) => one.name === name)
  if (!prompt) {
    const names = served.map((one) => one.name).join(', ')
    throw new AppError('not_found', `There is no prompt ${name.slice(0, 40)}.${names && ` Known: ${names}.`}`)
  }
  const known = prompt.arguments.map((one) => one.name)
  const refuse = (param: string, text: string) =>
    new AppError('invalid_parameter', text, { param: param.slice(0, 40), allowed: known })
  for (const [argument, value] of Object.entries(given)) {
    if (!known.includes(argument))
      throw refuse(argument, `${name} has no argument ${argument.slice(0, 40)}. Known: ${known.join(', ')}.`)
    const parsed = line.safeParse(value)
    if (!parsed.success) throw refuse(argument, `${argument}: ${parsed.error.issues[0]!.message}.`)
  }
  const missing = prompt.arguments.find((one) => one.required && given[one.name] === undefined)
  if (missing) throw refuse(missing.name, `${name} needs ${missing.name}: ${missing.description}.`)
  return { description: prompt.description, text: prompt.write(given) }
}
