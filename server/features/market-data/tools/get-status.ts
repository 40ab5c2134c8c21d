import { z } from 'zod'
import packageJson from '../../../../package.json' with { type: 'json' }
import { defineTool } from '../../tools/define-tool.ts'
import { ageOf } from '../dataset-age.ts'

export const getStatus = defineTool({
  name: 'get_status',
  title: 'Status',
  description: 'Confirms that the Data API is up, with its version and data counts. Free.',
  input: z.strictObject({}),
  output: z.object({
    status: z.literal('ok'),
    version: z.string(),
    datasets: z.int(),
    symbols: z.int(),
    series: z.int(),
    companies_with_statements: z.int(),
    fetched: z.array(
      z.object({ dataset: z.string(), retrieved_at: z.string(), age_hours: z.number(), stale: z.boolean() }),
    ),
  }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  example: {},
  rest: { method: 'GET', path: '/v1/status' },
  mcp: false,
  run: (_, { market }) => ({
    status: 'ok' as const,
    version: packageJson.version,
    datasets: market.manifests.length,
    symbols: market.catalog.instruments.length,
    series: new Set(market.series.values()).size,
    companies_with_statements: market.statements.bySymbol.size,
    fetched: market.manifests.flatMap((manifest) => ageOf(manifest, Date.now()) ?? []),
  }),
})
