import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { nearestNames } from '../../tools/nearest-names.ts'
import { noteWarnings } from '../bars/bar-warnings.ts'
import { findCompany } from '../companies/find-company.ts'
import { statementKinds, statementLines } from '../companies/statement-lines.ts'
import { lineValue } from '../companies/statements.ts'
import { dayText } from '../dates.ts'
import { sourceOf } from '../market-data.ts'
import { versionOf } from '../series/economic-series.ts'
import { symbolInput } from './inputs.ts'

const MAX_PERIODS = 20
const names = statementLines.map(({ name }) => name)

export const getFinancials = defineTool({
  name: 'get_financials',
  title: 'Financial statements',
  description:
    'Annual statements of a US company: lines as rows and fiscal periods as columns, newest first. Amounts in whole US dollars, eps per share, ratios in percent. Default: the key lines of one statement; fields may name lines of any statement. Mostly fiscal 2012 to 2016. 3 credits.',
  input: z.strictObject({
    symbol: symbolInput.describe('Symbol, such as IBM'),
    statement: z
      .enum([...statementKinds, 'all'])
      .default('income')
      .describe('Statement'),
    period: z.enum(['annual']).default('annual').describe('Period length'),
    limit: z.int().min(1).max(MAX_PERIODS).default(4).describe('Maximum periods'),
    fields: z
      .array(z.string())
      .min(1)
      .max(names.length)
      .optional()
      .describe('Lines, such as ["revenue","net_income","total_assets"]'),
    orient: z.enum(['lines', 'periods']).default('lines').describe('What each row is'),
  }),
  output: tableOutput,
  kind: 'table',
  whole: 'One column or row for each fiscal year, at most 20; `limit` is how many.',
  credits: { kind: 'fixed', credits: 3 },
  example: { symbol: 'IBM', statement: 'income' },
  errors: ['unknown_symbol'],
  rest: { method: 'GET', path: '/v1/financials/{symbol}', defaults: { orient: 'periods' } },
  run({ symbol: name, statement, limit, fields, orient }, { market }): Table {
    const { company, instrument, statements } = findCompany(market, name)
    const symbol = company?.symbol ?? instrument!.manifest.symbol
    const chosen = fields?.map(requireLine) ?? keyLines(statement)
    const periods = statements.slice(0, limit)
    const dates = periods.map(({ periodEnd }) => dayText(periodEnd))
    const rows: Cell[][] =
      periods.length === 0
        ? []
        : orient === 'lines'
          ? [
              ['fiscal_year', ...periods.map(({ fiscalYear }) => fiscalYear)],
              ...chosen.map((line) => [line, ...periods.map((one) => lineValue(one, line))]),
            ]
          : periods.map((one, index) => [dates[index]!, one.fiscalYear, ...chosen.map((line) => lineValue(one, line))])
    const [manifest] = market.statements.manifests
    const warnings = manifest ? noteWarnings(manifest, chosen) : []
    if (rows.length === 0) warnings.push(`No statements of ${symbol} are available; nothing was charged.`)
    return {
      columns: orient === 'lines' ? ['line', ...dates] : ['period_end', 'fiscal_year', ...chosen],
      rows,
      meta: {
        symbol,
        name: company?.name ?? null,
        statement: fields ? 'fields' : statement,
        period: 'annual',
        currency: manifest?.currency ?? null,
        missing: chosen.filter((line) => periods.some((one) => lineValue(one, line) === null)),
        source: manifest ? sourceOf(manifest) : null,
        dataset_version: manifest ? versionOf(manifest) : null,
        as_of: dates[0] ?? null,
        row_count: rows.length,
        total_periods: statements.length,
        warnings,
      },
      next_cursor: null,
    }
  },
})

/** The key lines of one statement; for `all`, every line. */
const keyLines = (statement: string): string[] =>
  statementLines.filter(({ kind, key }) => statement === 'all' || (kind === statement && key)).map(({ name }) => name)

function requireLine(name: string): string {
  if (names.includes(name)) return name
  const near = nearestNames(
    name.toUpperCase(),
    names.map((line) => line.toUpperCase()),
  ).map((line) => line.toLowerCase())
  const suggestions = [...new Set([...near, ...names.filter((line) => line.includes(name.toLowerCase()))])].slice(0, 3)
  throw new AppError('invalid_parameter', `fields: unknown line "${name.slice(0, 40)}". Known: ${names.join(', ')}.`, {
    param: 'fields',
    allowed: names,
    suggestions,
  })
}
