import { AppError } from '../../../http/errors.ts'
import type { KnowledgeResource, KnowledgeTemplate } from '../../mcp/knowledge.ts'
import { nearestNames } from '../../tools/input/nearest-names.ts'
import { chartHtml, chartView } from '../chart-view/chart-view.ts'
import { datasetCard } from '../dataset-card.ts'
import { datasetFields } from '../dataset-fields.ts'
import type { Manifest } from '../manifest.ts'
import type { MarketData } from '../market-data.ts'
import type { Serves } from './instructions.ts'

const mimeType = 'application/json'

export const templates: readonly KnowledgeTemplate[] = [
  {
    uriTemplate: 'dataset://{id}',
    name: 'dataset',
    title: 'Dataset card',
    description: "A dataset's contents, version, license, publishers and notes.",
    mimeType,
  },
  {
    uriTemplate: 'schema://{id}',
    name: 'schema',
    title: 'Dataset fields',
    description: 'The fields of a dataset with types and units, and the tool that reads it.',
    mimeType,
  },
]

const charts = (serves: Serves): boolean => serves('get_bars') || serves('get_economic_series')

/** A card and a schema per dataset, and the page that charts what a tool returns. */
export const resources = ({ manifests }: MarketData, serves: Serves): KnowledgeResource[] => [
  ...manifests.flatMap(({ id, name, first, last }) => [
    {
      uri: `dataset://${id}`,
      name: id,
      title: name,
      description: `Card: ${first} to ${last}, license, notes.`,
      mimeType,
    },
    {
      uri: `schema://${id}`,
      name: `${id}-schema`,
      title: `${name}: fields`,
      description: 'Fields and units.',
      mimeType,
    },
  ]),
  ...(charts(serves) ? [chartView] : []),
]

/** The text of a card, schema or view. Throws not_found with the nearest URIs. */
export function readResource(
  { manifests }: MarketData,
  uri: string,
  serves: Serves,
): { uri: string; mimeType: string; text: string } {
  if (uri === chartView.uri && charts(serves)) return { uri, mimeType: chartView.mimeType, text: chartHtml }
  const [, scheme, id] = /^(dataset|schema):\/\/([^/?#]+)\/?$/i.exec(uri) ?? []
  const manifest = manifests.find((one) => one.id === id?.toLowerCase())
  if (manifest) return { uri, mimeType, text: JSON.stringify(body(scheme!.toLowerCase(), manifest)) }
  const ids = manifests.map((one) => one.id)
  const near = nearestNames(id ?? '', ids).slice(0, 3)
  const help = serves('list_datasets') ? ' list_datasets shows the ids.' : ''
  throw new AppError('not_found', `There is no resource ${uri.slice(0, 80)}.${help}`, {
    param: 'uri',
    suggestions: near.map((name) => `${scheme ?? 'dataset'}://${name}`),
  })
}

function body(scheme: string, manifest: Manifest): unknown {
  return scheme === 'dataset' ? datasetCard(manifest) : { dataset: manifest.id, ...datasetFields(manifest) }
}
