import { type Connector, type PlanState, readConnectorManifest } from './connector.ts'

interface SeriesSource extends Pick<Connector, 'plan' | 'parse'> {
  /** Of its dataset. */
  id: string
  name: string
  frequency: 'daily' | 'monthly' | 'annual'
  /** The currency that rates are of. */
  base?: string
  /** Name, unit and aliases of each series. */
  series: (ids: readonly string[], learned: PlanState['learned']) => Record<string, object>
  /** Instead of those of the terms. */
  notes?: readonly string[]
}

/** A connector to a source of open data whose rows are dates and values of series. */
export function seriesConnector(given: unknown, { id, plan, parse, series, notes, ...about }: SeriesSource): Connector {
  const manifest = readConnectorManifest(given)
  const { terms } = manifest
  const dataset = {
    id,
    keys: { key: 'series', date: 'date', value: 'value', identity: ['date'] },
    file: (ids: readonly string[], learned: PlanState['learned']) => ({
      kind: 'series',
      ...about,
      fields: { series: 'series', date: 'date', value: 'value' },
      duplicates: 'last',
      series: series(ids, learned),
      license: terms.license,
      publisher: terms.attribution,
      redistribution: terms.redistribution,
      notes: notes ?? terms.notes,
    }),
  }
  return { manifest, plan, parse, datasets: [dataset] }
}
