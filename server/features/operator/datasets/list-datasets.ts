import type { z } from 'zod'
import type { dataConnector, publishedDataset } from '#contract/operator/dataset-routes.ts'
import type { Deps } from '../../../deps.ts'
import { connectors } from '../../datasets/connectors/list.ts'
import { connectorFiles, connectorsRoot } from '../../datasets/connectors/run-state.ts'
import { readSchedule } from '../../datasets/connectors/schedule.ts'
import { publishedPlace } from '../../datasets/published-place.ts'
import { versionStore } from '../../datasets/version-store.ts'

export type ShownDataset = z.input<typeof publishedDataset>
export type ShownConnector = z.input<typeof dataConnector>
type Needs = Pick<Deps, 'config'>

/** Published datasets by id. One whose version cannot be read fails the list: the operator has to see that. */
export async function listDatasets(deps: Needs): Promise<ShownDataset[]> {
  const store = versionStore(publishedPlace(deps.config))
  const served = await store.served()
  const all = await Promise.all(served.map(({ id, version }) => showDataset(deps, id, version)))
  return all.toSorted((a, b) => a.id.localeCompare(b.id))
}

/** One of them, in this version. */
export async function showDataset({ config }: Needs, id: string, version: string): Promise<ShownDataset> {
  const store = versionStore(publishedPlace(config))
  const [{ manifest }, versions] = await Promise.all([store.read(id, version), store.versions(id)])
  const { name, kind, rows, first, last, redistribution, plans, retrieved_at, stale_after_hours } = manifest
  return {
    id,
    name,
    kind: kind === 'bar_blocks' ? 'bars' : kind,
    version,
    written_at: writtenAt(version),
    versions: versions.toReversed(),
    rows,
    first,
    last,
    redistribution,
    plans: plans ?? [],
    retrieved_at: retrieved_at ?? null,
    stale_after_hours: stale_after_hours ?? null,
    stale: isStale(retrieved_at, stale_after_hours),
  }
}

const HOUR_MS = 3_600_000

const isStale = (retrievedAt: string | undefined, hours: number | undefined): boolean =>
  retrievedAt !== undefined && hours !== undefined && Date.now() - Date.parse(retrievedAt) > hours * HOUR_MS

/** A version begins with its time: `20261127140500-0a1b2c3d`. */
const writtenAt = (version: string): string =>
  version.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d).*$/, '$1-$2-$3T$4:$5:$6Z')

/** Every source of current data, with its schedule and last run as this data directory has them. */
export async function listConnectors({ config }: Needs): Promise<ShownConnector[]> {
  const root = connectorsRoot(config)
  const schedule = await readSchedule(root)
  return Promise.all(
    [...connectors].map(async ([name, { manifest }]): Promise<ShownConnector> => {
      const { lastRun, lastGoodAt } = await connectorFiles(root, name).readState()
      const { title, terms, secret, contactRequired } = manifest
      return {
        name,
        title,
        license: terms.license,
        redistribution: terms.redistribution,
        crontab: manifest.schedule,
        scheduled: name in schedule,
        contact: schedule[name]?.contact ?? null,
        contact_required: contactRequired,
        key: secret,
        has_key: secret === null || Boolean((config as unknown as Record<string, unknown>)[secret]),
        data_as_of: lastGoodAt,
        last_run: lastRun && {
          finished_at: lastRun.finishedAt,
          outcome: lastRun.outcome,
          reasons: lastRun.reasons,
          rows: lastRun.rows,
        },
      }
    }),
  )
}
