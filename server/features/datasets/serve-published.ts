import type { Logger } from 'pino'
import type { BarMemory } from '../market-data/bar-store/bar-memory.ts'
import { type DatasetPart, loadPart } from '../market-data/dataset-part.ts'
import type { MarketAccess } from '../market-data/market-access.ts'
import { assemble } from '../market-data/market-data.ts'
import { versionStore } from './version-store.ts'

const LOOK_EVERY_MS = 2_000

export interface PublishedData {
  /** Loads what was published since; resolves to whether there was anything. */
  look: () => Promise<boolean>
  close: () => void
}

/**
 * Serves published datasets in addition to those that the server started with, including later versions. A version that
 * cannot be loaded changes nothing: the previous one stays, and the log has the reason.
 */
export async function servePublished(
  root: string,
  market: MarketAccess,
  log: Logger,
  memory: BarMemory,
): Promise<PublishedData> {
  const store = versionStore(root)
  const base = market.current.parts
  let parts = new Map<string, { mark: string; part: DatasetPart }>()

  const look = async (): Promise<boolean> => {
    const served = await store.served()
    const markOf = ({ version, changedAtMs }: { version: string; changedAtMs: number }) => `${version} ${changedAtMs}`
    if (served.length === parts.size && served.every((one) => parts.get(one.id)?.mark === markOf(one))) return false
    const next = new Map<string, { mark: string; part: DatasetPart }>()
    for (const one of served) {
      const mark = markOf(one)
      const known = parts.get(one.id)
      if (known?.mark === mark) next.set(one.id, known)
      else {
        try {
          const { directory, manifest } = await store.read(one.id, one.version)
          next.set(one.id, { mark, part: await loadPart(directory, manifest, memory) })
        } catch (error) {
          log.error(
            { dataset: one.id, version: one.version, error: (error as Error).message },
            'could not load a published version',
          )
          // The marker is remembered, so the same broken version is not retried.
          if (known) next.set(one.id, { mark, part: known.part })
        }
      }
    }
    try {
      market.replace(assemble([...base, ...[...next.values()].map(({ part }) => part)]))
    } catch (error) {
      log.error({ error: (error as Error).message }, 'the published datasets are incompatible with each other')
    }
    parts = next
    return true
  }

  await look()
  let looking = false
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    look()
      .catch((error: Error) => log.error({ error: error.message }, 'could not check for published datasets'))
      .finally(() => {
        looking = false
      })
  }, LOOK_EVERY_MS)
  timer.unref()
  return { look, close: () => clearInterval(timer) }
}
