import { z } from 'zod'
import { defineTool } from '../../tools/define-tool.ts'
import { findCompany } from '../companies/find-company.ts'
import { dayText } from '../dates.ts'
import { adjusts } from '../manifest.ts'
import { intervals, intradayIntervals } from '../periods.ts'
import { symbolInput } from './inputs.ts'

const span = z.object({ first: z.string(), last: z.string(), intervals: z.array(z.string()) })
const text = z.string().nullable()

export const getCompany = defineTool({
  name: 'get_company',
  title: 'Company or symbol profile',
  description:
    'Facts about a symbol: name, kind, exchange (MIC), sector, industry, SEC CIK, aliases, and which bars, adjustments and annual statements this server has. Free.',
  input: z.strictObject({ symbol: symbolInput.describe('Symbol or alias') }),
  output: z.object({
    symbol: z.string(),
    name: text,
    type: z.string(),
    exchange: text,
    sector: text,
    industry: text,
    cik: text,
    currency: text,
    aliases: z.array(z.string()),
    bars: span.nullable(),
    intraday: span.nullable(),
    adjustments: z.array(z.string()),
    statements: z.array(z.string()),
    warnings: z.array(z.string()),
  }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  example: { symbol: 'AAPL' },
  errors: ['unknown_symbol'],
  rest: { method: 'GET', path: '/v1/symbols/{symbol}' },
  mcp: { presets: ['companies'] },
  run({ symbol }, { market }) {
    const { instrument, company, statements } = findCompany(market, symbol)
    const manifest = instrument?.manifest
    const intraday = instrument?.intraday
    return {
      symbol: manifest?.symbol ?? company!.symbol,
      name: manifest?.name ?? company?.name ?? null,
      type: manifest?.type ?? 'stock',
      exchange: manifest?.mic ?? company?.mic ?? null,
      sector: company?.sector ?? null,
      industry: company?.industry ?? null,
      cik: company?.cik ?? null,
      currency: manifest?.currency ?? null,
      aliases: manifest?.aliases ?? [],
      bars: manifest ? { first: manifest.first, last: manifest.last, intervals: [...intervals] } : null,
      intraday: intraday
        ? { first: intraday.manifest.first, last: intraday.manifest.last, intervals: intradayIntervals }
        : null,
      adjustments: adjusts.filter((adjust) => instrument?.series.adjustments[adjust]),
      statements: statements.map(({ periodEnd }) => dayText(periodEnd)),
      warnings: manifest?.notes.map(({ text }) => text) ?? [
        'Known from a list of companies; this server has no prices for it.',
      ],
    }
  },
})
