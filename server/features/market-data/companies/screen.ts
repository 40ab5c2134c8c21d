import { AppError } from '../../../http/errors.ts'
import { nearestNames } from '../../tools/input/nearest-names.ts'
import { type Day, dayText } from '../dates.ts'
import type { MarketData } from '../market-data.ts'
import { statementLines } from './statement-lines.ts'
import { lineValue, type Statement } from './statements.ts'

export const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'contains'] as const
type Value = string | number | null
export interface Filter {
  field: string
  op: (typeof operators)[number]
  value: string | number | (string | number)[]
}

interface Candidate {
  statement: Statement
  before: Statement | undefined
  symbol: string
  market: MarketData
}
type Read = (candidate: Candidate) => Value

const line =
  (name: string): Read =>
  ({ statement }) =>
    lineValue(statement, name)
const ratio = (above: number | null, below: number | null, factor = 1): number | null =>
  above === null || below === null || below === 0 ? null : Math.round(factor * 1e4 * (above / below)) / 1e4

/** Fields to filter, show and sort by. Growth is in percent over the previous statement, if that is a year older. */
const fields = new Map<string, { kind: 'text' | 'number'; read: Read }>([
  ['symbol', { kind: 'text', read: ({ symbol }) => symbol }],
  ['name', { kind: 'text', read: ({ symbol, market }) => market.companies.get(symbol)?.name ?? null }],
  ['exchange', { kind: 'text', read: ({ symbol, market }) => market.companies.get(symbol)?.mic ?? null }],
  ['sector', { kind: 'text', read: ({ symbol, market }) => market.companies.get(symbol)?.sector ?? null }],
  ['industry', { kind: 'text', read: ({ symbol, market }) => market.companies.get(symbol)?.industry ?? null }],
  ['period_end', { kind: 'text', read: ({ statement }) => dayText(statement.periodEnd) }],
  ['fiscal_year', { kind: 'number', read: ({ statement }) => statement.fiscalYear }],
  ['currency', { kind: 'text', read: ({ statement }) => statement.currency }],
  ...statementLines.map(({ name }) => [name, { kind: 'number' as const, read: line(name) }] as const),
  ['revenue_growth', { kind: 'number', read: (candidate) => growth(candidate, 'revenue') }],
  ['net_income_growth', { kind: 'number', read: (candidate) => growth(candidate, 'net_income') }],
  [
    'debt_to_equity',
    {
      kind: 'number',
      read: ({ statement }) =>
        ratio(
          (lineValue(statement, 'long_term_debt') ?? 0) + (lineValue(statement, 'short_term_debt') ?? 0),
          lineValue(statement, 'total_equity'),
        ),
    },
  ],
  [
    'free_cash_flow',
    {
      kind: 'number',
      read: ({ statement }) => {
        const [operating, spent] = [
          lineValue(statement, 'operating_cash_flow'),
          lineValue(statement, 'capital_expenditures'),
        ]
        return operating === null || spent === null ? null : operating + spent
      },
    },
  ],
])

export const screenFields: readonly string[] = [...fields.keys()]

function growth({ statement, before }: Candidate, name: string): number | null {
  if (!before || statement.periodEnd - before.periodEnd > 400) return null
  const earlier = lineValue(before, name)
  const now = lineValue(statement, name)
  return earlier === null || now === null || earlier <= 0 ? null : ratio(now - earlier, earlier, 100)
}

export interface Screen {
  filters: readonly Filter[]
  columns: readonly string[]
  /** A field, with a minus in front for descending order. */
  sort: string
  /** Statements that ended after this day are ignored. The others have the figures of today, also if filed after it. */
  on: Day
}

/**
 * Rows of the companies whose latest statement passes every filter, sorted. Nulls pass no filter and come last. Throws
 * invalid_parameter.
 */
export function screen(market: MarketData, { filters, columns, sort, on }: Screen): Value[][] {
  const tests = filters.map(toTest)
  const reads = columns.map((name) => requireField(name, 'columns').read)
  const descending = sort.startsWith('-')
  const key = requireField(descending ? sort.slice(1) : sort, 'sort').read
  const found: { key: Value; row: Value[] }[] = []
  for (const [symbol, statements] of market.statements.bySymbol) {
    const at = statements.findIndex(({ periodEnd }) => periodEnd <= on)
    if (at === -1) continue
    const candidate = { statement: statements[at]!, before: statements[at + 1], symbol, market }
    if (tests.every((test) => test(candidate)))
      found.push({ key: key(candidate), row: reads.map((read) => read(candidate)) })
  }
  return found.sort((a, b) => compare(a.key, b.key, descending ? -1 : 1)).map(({ row }) => row)
}

function compare(a: Value, b: Value, sign: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return a === b ? 0 : sign * (a < b ? -1 : 1)
}

function requireField(name: string, param: string): { kind: 'text' | 'number'; read: Read } {
  const field = fields.get(name)
  if (field) return field
  throw new AppError(
    'invalid_parameter',
    `${param}: unknown field "${name.slice(0, 40)}". Known: ${screenFields.join(', ')}.`,
    {
      param,
      allowed: [...screenFields],
      suggestions: nearestNames(name, screenFields).slice(0, 3),
    },
  )
}

function toTest({ field, op, value }: Filter, index: number): (candidate: Candidate) => boolean {
  const param = `filters.${index}`
  const { kind, read } = requireField(field, param)
  const refuse = (text: string) => new AppError('invalid_parameter', `${param}: ${text}`, { param })
  const list = Array.isArray(value) ? value : [value]
  if (Array.isArray(value) !== (op === 'in'))
    throw refuse(op === 'in' ? 'in needs a list of values.' : `${op} needs one value, not a list.`)
  if (op === 'contains' && kind !== 'text') throw refuse(`contains is for texts; ${field} is a number.`)
  const wrong = list.find((one) => typeof one !== (kind === 'text' ? 'string' : 'number'))
  if (wrong !== undefined) throw refuse(`${field} is a ${kind}, ${JSON.stringify(wrong).slice(0, 40)} is not.`)
  const wanted = list.map(fold)
  return (candidate) => {
    const found = read(candidate)
    if (found === null) return false
    const own = fold(found)
    const [first] = wanted as [string | number]
    if (op === 'in') return wanted.includes(own)
    if (op === 'contains') return String(own).includes(String(first))
    if (op === 'eq') return own === first
    if (op === 'ne') return own !== first
    if (op === 'gt') return own > first
    if (op === 'gte') return own >= first
    return op === 'lt' ? own < first : own <= first
  }
}

const fold = (value: string | number): string | number => (typeof value === 'string' ? value.toLowerCase() : value)
