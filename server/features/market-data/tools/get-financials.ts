import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { nearestNames } from '../../tools/input/nearest-names.ts'
import { noteWarnings } from '../bars/bar-warnings.ts'
import { type CompanyStatements, companyStatements, type StatementOf } from '../companies/company-statements.ts'
import { findCompany } from '../companies/find-company.ts'
import { factsOf } from '../companies/statement-facts.ts'
import { statementKinds, statementLines } from '../companies/statement-lines.ts'
import { staleWarnings } from '../dataset-age.ts'
import { dayText, parseDay } from '../dates.ts'
import { sourceOf } from '../market-data.ts'
import { versionOf } from '../series/economic-series.ts'
import { dateInput, symbolInput } from './inputs.ts'

const MAX_PERIODS = 20
const names = statementLines.map(({ name }) => name)
const originColumns = ['unit', 'tag', 'reported', 'form', 'filed', 'accession', 'restated', 'derived']

export const getFinancials = defineTool({
  name: 'get_financials',
  title: 'Financial statements',
  description:
    'Annual or quarterly statements, newest first: lines as rows, periods as columns. Ratios in percent, payments negative. Default: key lines; fields may name lines of any statement. orient values adds filings. 3 credits.',
  input: z.strictObject({
    symbol: symbolInput.describe('Symbol, such as IBM'),
    statement: z.enum([...statementKinds, 'all']).default('income'),
    period: z.enum(['annual', 'quarterly']).default('annual'),
    as_of: dateInput.optional().describe('As filed by this date'),
    to: dateInput.optional().describe('Ended by this date'),
    limit: z.int().min(1).max(MAX_PERIODS).default(4).describe('Maximum periods'),
    fields: z.array(z.string()).min(1).max(names.length).optional().describe('Such as ["revenue","net_income"]'),
    orient: z.enum(['lines', 'periods', 'values']).default('lines'),
  }),
  output: tableOutput,
  kind: 'table',
  whole: 'One column or row for each fiscal period, at most 20; `limit` is how many.',
  credits: { kind: 'fixed', credits: 3 },
  example: { symbol: 'IBM', statement: 'income' },
  errors: ['unknown_symbol'],
  rest: { method: 'GET', path: '/v1/financials/{symbol}', defaults: { orient: 'periods' } },
  mcp: { presets: ['companies'] },
  run({ symbol: name, statement, period, as_of, to, limit, fields, orient }, { market }): Table {
    const { company, instrument } = findCompany(market, name)
    const symbol = company?.symbol ?? instrument!.manifest.symbol
    const chosen = fields?.map(requireLine) ?? keyLines(statement)
    const found = companyStatements(market, symbol, period, as_of ? parseDay(as_of) : null)
    const last = to ? parseDay(to) : Number.POSITIVE_INFINITY
    const periods = found.statements.filter(({ end }) => end <= last).slice(0, limit)
    const rows = rowsOf(periods, chosen, orient, period === 'quarterly')
    const manifest = market.statements.from.get(symbol) ?? null
    const warnings = manifest ? [...noteWarnings(manifest, chosen), ...staleWarnings(manifest, Date.now())] : []
    if (rows.length === 0) warnings.push(`${whyNone(found, symbol, period, as_of, to)}; nothing was charged.`)
    return {
      columns: columnsOf(periods, chosen, orient, period === 'quarterly'),
      rows,
      meta: {
        symbol,
        name: company?.name ?? null,
        statement: fields ? 'fields' : statement,
        period,
        currency: found.currency,
        missing: chosen.filter((line) => periods.some((one) => one.value(line) === null)),
        ...factsOf(periods, chosen),
        available: availableOf(found),
        source: manifest ? sourceOf(manifest) : null,
        license: manifest?.sources[0]?.licence ?? null,
        dataset_version: manifest ? versionOf(manifest) : null,
        retrieved_at: manifest?.retrieved_at ?? null,
        as_of: as_of ?? (periods[0] ? dayText(periods[0].end) : null),
        row_count: rows.length,
        total_periods: found.statements.length,
        warnings,
      },
      next_cursor: null,
    }
  },
})

function columnsOf(periods: readonly StatementOf[], chosen: string[], orient: string, quarterly: boolean): string[] {
  const fiscal = quarterly ? ['fiscal_year', 'fiscal_quarter'] : ['fiscal_year']
  if (orient === 'lines') return ['line', ...periods.map(({ end }) => dayText(end))]
  if (orient === 'periods') return ['period_end', ...fiscal, ...chosen]
  return ['line', 'period_end', ...fiscal, 'value', ...originColumns]
}

function rowsOf(periods: readonly StatementOf[], chosen: string[], orient: string, quarterly: boolean): Cell[][] {
  if (periods.length === 0) return []
  const lineOf = (one: StatementOf, line: string) => one.value(line)?.value ?? null
  const fiscal = ({ fiscalYear, quarter }: StatementOf) => (quarterly ? [fiscalYear, quarter] : [fiscalYear])
  if (orient === 'periods')
    return periods.map((one) => [dayText(one.end), ...fiscal(one), ...chosen.map((line) => lineOf(one, line))])
  if (orient === 'lines')
    return [
      ['fiscal_year', ...periods.map(({ fiscalYear }) => fiscalYear)],
      ...(quarterly ? [['fiscal_quarter', ...periods.map(({ quarter }) => quarter)]] : []),
      ...chosen.map((line) => [line, ...periods.map((one) => lineOf(one, line))]),
    ]
  return chosen.flatMap((line) =>
    periods.flatMap((one): Cell[][] => {
      const found = one.value(line)
      if (!found) return []
      const { origin } = found
      const about = origin
        ? [
            origin.unit,
            origin.tag,
            origin.reported,
            origin.filing.form,
            dayText(origin.filing.filed),
            origin.filing.accession,
            origin.restated,
            origin.derived,
          ]
        : originColumns.map(() => null)
      return [[line, dayText(one.end), ...fiscal(one), found.value, ...about]]
    }),
  )
}

const availableOf = ({ statements, filed }: CompanyStatements) => ({
  periods: statements.length,
  first: statements.at(-1) ? dayText(statements.at(-1)!.end) : null,
  last: statements[0] ? dayText(statements[0].end) : null,
  quarterly: filed,
  as_of: filed,
})

function whyNone(
  { filed, statements }: CompanyStatements,
  symbol: string,
  period: string,
  asOf: string | undefined,
  to: string | undefined,
): string {
  if (to && statements.length > 0)
    return `No ${period === 'annual' ? '' : 'quarterly '}statements of ${symbol} end by ${to}; the first ends ${dayText(statements.at(-1)!.end)}`

  if (!filed && (asOf || period === 'quarterly'))
    return `Only annual statements of ${symbol} may be available, without the dates they were filed`
  return `No ${period === 'annual' ? '' : 'quarterly '}statements of ${symbol} are available${asOf ? ` as of ${asOf}` : ''}`
}

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
  const known = statementLines.filter(({ kind }) => kind !== 'ratios').map((line) => line.name)
  throw new AppError(
    'invalid_parameter',
    `fields: unknown line "${name.slice(0, 40)}". Known: ${known.join(', ')}, and the ratios.`,
    {
      param: 'fields',
      allowed: names,
      suggestions,
    },
  )
}
