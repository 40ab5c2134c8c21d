import type { Day } from '../dates.ts'
import type { MarketData } from '../market-data.ts'
import type { Filing } from './filings/filed-facts.ts'
import { type FiledView, filedStatements } from './filings/filed-statements.ts'
import { filedName } from './filings/filings-file.ts'
import { ratios } from './ratios.ts'
import { lineValue } from './statements.ts'

export interface LineValue {
  value: number
  /** Left out if the dataset does not say where the value is from. */
  origin?: {
    reported: number | null
    tag: string | null
    unit: string
    filing: Filing
    restated: boolean
    derived: string | null
  }
}

export interface StatementOf {
  end: Day
  fiscalYear: number | null
  quarter: number | null
  value: (line: string) => LineValue | null
}

export interface CompanyStatements {
  currency: string | null
  /** Newest first. */
  statements: StatementOf[]
  /** Whether quarters and points in time are available. */
  filed: boolean
}

export type StatementPeriod = 'annual' | 'quarterly'

/** Views of today by company, since most calls want them. */
const views = new WeakMap<object, Map<StatementPeriod, FiledView>>()

/** The statements of a symbol as known at the end of `asOf` (null: today). */
export function companyStatements(
  { statements }: MarketData,
  symbol: string,
  period: StatementPeriod,
  asOf: Day | null,
): CompanyStatements {
  const source = statements.filed.get(symbol)
  if (!source) {
    const list = period === 'annual' && asOf === null ? (statements.bySymbol.get(symbol) ?? []) : []
    return {
      filed: false,
      currency: list[0]?.currency ?? null,
      statements: list.map((statement) => ({
        end: statement.periodEnd,
        fiscalYear: statement.fiscalYear,
        quarter: null,
        value: (line) => asValue(lineValue(statement, line)),
      })),
    }
  }
  const company = source.read()
  const known = views.get(company) ?? new Map<StatementPeriod, FiledView>()
  const view = (asOf === null ? known.get(period) : undefined) ?? filedStatements(company, period, asOf)
  if (asOf === null) views.set(company, known.set(period, view))
  return {
    filed: true,
    currency: view.currency,
    statements: view.statements.map(({ end, fiscalYear, quarter, values }) => ({
      end,
      fiscalYear,
      quarter,
      value(line) {
        const found = values.get(filedName(line, values))
        if (found) return { value: found.value, origin: found }
        return asValue(ratios[line]?.((name) => values.get(filedName(name, values))?.value ?? null) ?? null)
      },
    })),
  }
}

const asValue = (value: number | null): LineValue | null => (value === null ? null : { value })
