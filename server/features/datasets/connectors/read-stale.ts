import { connectors } from './list.ts'
import { connectorFiles, connectorsRoot } from './run-state.ts'
import { readSchedule } from './schedule.ts'

export interface StaleDataset {
  /** The connector. */
  name: string
  title: string
  /** When it was last read without a problem; null: never. */
  since: Date | null
  reason: string
}

/** Scheduled connectors of this server whose last run published nothing because something went wrong. */
export async function readStaleDatasets(config: { FINMETER_DATA_DIR: string }): Promise<StaleDataset[]> {
  const root = connectorsRoot(config)
  const names = Object.keys(await readSchedule(root)).sort()
  const found = await Promise.all(
    names.map(async (name): Promise<StaleDataset[]> => {
      const { lastRun, lastGoodAt } = await connectorFiles(root, name).readState()
      if (!lastRun || lastRun.outcome === 'published' || lastRun.outcome === 'unchanged') return []
      const title = connectors.get(name)?.manifest.title ?? name
      const why = lastRun.reasons.join(' ').slice(0, 300)
      return [{ name, title, since: lastGoodAt ? new Date(lastGoodAt) : null, reason: `${lastRun.outcome}. ${why}` }]
    }),
  )
  return found.flat()
}
