import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { nearestNames } from '../../tools/input/nearest-names.ts'
import { datasetCard } from '../dataset-card.ts'
import { isBarFile, type Manifest } from '../manifest.ts'
import { pageOf } from '../page.ts'
import { cursorInput } from './inputs.ts'

const kinds = ['bars', 'series', 'statements', 'companies', 'rates', 'currencies'] as const

const MAX_LIMIT = 1000

const kindOf = (manifest: Manifest) =>
  isBarFile(manifest) ? 'bars' : manifest.kind === 'filings' ? 'statements' : manifest.kind

export const listDatasets = defineTool({
  name: 'list_datasets',
  title: 'List datasets',
  description:
    'The datasets on this server, with kind, rows, first and last date and class (open: may be redistributed; demo-only: historical prices for demonstration). Free.',
  input: z.strictObject({
    kind: z.enum(kinds).optional().describe('Only this kind'),
    limit: z.int().min(1).max(MAX_LIMIT).default(50).describe('Maximum rows'),
    cursor: cursorInput,
  }),
  output: tableOutput,
  kind: 'table',
  credits: { kind: 'fixed', credits: 0 },
  example: { kind: 'series' },
  errors: ['cursor_expired'],
  mcp: { presets: ['economy'], unlisted: ['limit', 'cursor'] },
  rest: { method: 'GET', path: '/v1/datasets', defaults: { limit: 1000 } },
  run(request, { market }): Table {
    const { kind } = request
    const rowsOf = (manifests: readonly Manifest[], entitled: boolean): Cell[][] =>
      manifests
        .filter((manifest) => kind === undefined || kindOf(manifest) === kind)
        .map((manifest) => {
          const { id, name, rows, first, last, redistribution } = manifest
          return [id, kindOf(manifest), name, rows, first, last, redistribution, entitled]
        })
    const reserved = rowsOf(
      market.reserved.map(({ manifest }) => manifest),
      false,
    )
    const all = [...rowsOf(market.manifests, true), ...reserved]
    const { rows, counts, warnings, paging } = pageOf(all, request, market.version)
    if (market.reserved.some(({ reason }) => reason === 'plan'))
      warnings.push('Datasets with entitled false need another plan.')
    const notForAi = market.reserved.flatMap(({ manifest, reason }) => (reason === 'ai_clients' ? [manifest.id] : []))
    if (notForAi.length > 0)
      warnings.push(`Only over REST, because their terms forbid AI clients: ${notForAi.join(', ')}.`)
    return {
      columns: ['id', 'kind', 'name', 'rows', 'first_date', 'last_date', 'class', 'entitled'],
      rows: [...rows],
      meta: { ...counts, dataset_version: market.version, warnings },
      ...paging,
    }
  },
})

export const getDataset = defineTool({
  name: 'get_dataset',
  title: 'Describe a dataset',
  description: "A dataset's contents, version, licenses, publishers and notes. Free.",
  input: z.strictObject({ id: z.string().min(1).max(80).describe('Such as ge-daily') }),
  output: z.looseObject({ id: z.string(), kind: z.string(), version: z.string() }),
  kind: 'value',
  credits: { kind: 'fixed', credits: 0 },
  example: { id: 'oil-prices' },
  errors: ['not_found'],
  rest: { method: 'GET', path: '/v1/datasets/{id}' },
  mcp: false,
  run({ id }, { market }) {
    const manifest = market.manifests.find((one) => one.id === id.toLowerCase())
    if (!manifest) {
      const ids = market.manifests.map((one) => one.id)
      const suggestions = nearestNames(id, ids).slice(0, 3)
      throw new AppError('not_found', `There is no dataset ${id.slice(0, 40)}. Available: ${ids.join(', ')}.`, {
        param: 'id',
        suggestions,
      })
    }
    return datasetCard(manifest)
  },
})
