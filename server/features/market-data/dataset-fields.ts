import { statementLines } from './companies/statement-lines.ts'
import { type BarsManifest, isBarFile, type Manifest } from './manifest.ts'

export interface DatasetField {
  name: string
  type: 'date' | 'instant' | 'number' | 'text'
  unit: string | null
  about: string
}

const field = (name: string, type: DatasetField['type'], about: string, unit: string | null = null): DatasetField => ({
  name,
  type,
  unit,
  about,
})

/** The fields of a dataset as its tools return them. */
export function datasetFields(manifest: Manifest): { tool: string; fields: DatasetField[] } {
  if (manifest.kind === 'bars' || isBarFile(manifest)) return { tool: 'get_bars', fields: barFields(manifest) }
  if (manifest.kind === 'series')
    return {
      tool: 'get_economic_series',
      fields: [
        field('date', 'date', `first day of the period (${manifest.frequency})`),
        ...manifest.series.map(({ id, name, unit }) => field(id, 'number', name, unit)),
      ],
    }
  if (manifest.kind === 'statements' || manifest.kind === 'filings')
    return {
      tool: 'get_financials',
      fields: [
        field('symbol', 'text', 'listed symbol'),
        field('period_end', 'date', 'last day of the fiscal period'),
        field('fiscal_year', 'number', 'as the company names it'),
        ...statementLines.map(({ name, kind }) =>
          field(
            name,
            'number',
            `${kind} statement`,
            kind === 'ratios' ? 'percent' : 'currency' in manifest ? manifest.currency : 'as filed',
          ),
        ),
      ],
    }
  if (manifest.kind === 'companies')
    return {
      tool: 'get_company',
      fields: ['symbol', 'name', 'mic', 'sector', 'industry', 'cik'].map((name) => field(name, 'text', 'as listed')),
    }
  if (manifest.kind === 'rates')
    return {
      tool: 'convert_currency',
      fields: [
        field('date', 'date', 'of the rate'),
        field('currency', 'text', 'quoted currency'),
        field('rate', 'number', `units for one ${manifest.base}`),
      ],
    }
  return {
    tool: 'convert_currency',
    fields: [
      field('code', 'text', 'ISO 4217'),
      field('name', 'text', 'English'),
      field('digits', 'number', 'decimals'),
    ],
  }
}

function barFields({
  interval,
  currency,
  timezone,
}: Pick<BarsManifest, 'interval' | 'currency' | 'timezone'>): DatasetField[] {
  return [
    interval === '1d'
      ? field('date', 'date', `session, exchange calendar (${timezone})`)
      : field('date', 'instant', 'UTC instant of the open'),
    ...['open', 'high', 'low', 'close'].map((name) => field(name, 'number', 'price', currency)),
    field('volume', 'number', 'traded in the bar', 'as published'),
  ]
}
