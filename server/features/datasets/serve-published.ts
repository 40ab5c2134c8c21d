import type { Logger } from 'pino'
import { BucketAway } from '../../net/s3-bucket.ts'
import type { BarMemory } from '../market-data/bar-store/bar-memory.ts'
import { type DatasetPart, loadPart } from '../market-data/dataset-part.ts'
import type { MarketAccess } from '../market-data/market-access.ts'
import { assemble } from '../market-data/market-data.ts'
import type { PublishedPlace } from './published-place.ts'
import { versionStore } from './version-store.ts'

const LOOK_EVERY_MS = 2_000
/** No mark of a version: what has it is loaded again. */
const AGAIN = ''

export interface PublishedData {
  /** Loads what was published since; resolves to whether there was anything. */
  look: () => Promise<boolean>
  /** Whether the datasets that the server started with are served. At first they are. */
  demonstrate: (on: boolean) => void
  close: () => void
}

/** `part` is null for a version that cannot be loaded, if there is no earlier one. */
interface Loaded {
  mark: string
  part: DatasetPart | null
}

/**
 * Serves published datasets in addition to those that the server started with, including later versions. A version that
 * cannot be loaded changes nothing: the previous one stays, and the log has the reason. So does a place that cannot be
 * reached, also at the start.
 */
export async function servePublished(
  place: PublishedPlace,
  market: MarketAccess,
  log: Logger,
  memory: BarMemory,
): Promise<PublishedData> {
  const store = versionStore(place)
  const held = market.current.parts
  let base = held
  let parts = new Map<string, Loaded>()

  const serve = (next: Map<string, Loaded>): void => {
    parts = next
    try {
      market.replace(assemble([...base, ...[...next.values()].flatMap(({ part }) => part ?? [])]))
    } catch (error) {
      log.error({ error: (error as Error).message }, 'the published datasets are incompatible with each other')
    }
  }

  const load = async (id: string, version: string, mark: string): Promise<Loaded> => {
    const known = parts.get(id)
    if (known?.mark === mark) return known
    try {
      const { files, manifest } = await store.read(id, version)
      return { mark, part: await loadPart(files, manifest, memory) }
    } catch (error) {
      log.error({ dataset: id, version, error: (error as Error).message }, 'could not load a published version')
      // A broken version is not read again and again.
      return { mark: error instanceof BucketAway ? AGAIN : mark, part: known?.part ?? null }
    }
  }

  const look = async (): Promise<boolean> => {
    const served = await store.served()
    if (served.length === parts.size && served.every(({ id, mark }) => parts.get(id)?.mark === mark)) return false
    const next = new Map<string, Loaded>()
    for (const { id, version, mark } of served) next.set(id, await load(id, version, mark))
    serve(next)
    return true
  }

  let failing = false
  const lookAndTell = () =>
    look().then(
      () => {
        if (failing) log.info('published datasets can be checked again')
        failing = false
      },
      (error: Error) => {
        if (!failing) log.error({ error: error.message }, 'could not check for published datasets')
        failing = true
      },
    )

  await lookAndTell()
  let looking = false
  const timer = setInterval(() => {
    if (looking) return
    looking = true
    lookAndTell().finally(() => {
      looking = false
    })
  }, LOOK_EVERY_MS)
  timer.unref()
  return {
    look,
    demonstrate(on) {
      const wanted = on ? held : []
      if (wanted === base) return
      base = wanted
      serve(parts)
    },
    close: () => clearInterval(timer),
  }
}
