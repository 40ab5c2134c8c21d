import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { Listener } from '../../db/listen.ts'
import { type Banner, bannerSetting, readSwitches, SWITCHES_CHANGED } from './switches.ts'

const LOOK_AGAIN_MS = 1_000

/** The switch that pages read; `deps.switches`. Sales are asked for in the database. */
export interface Switches {
  /** The same object until another is set; null when there is none, or its time is over. */
  banner: () => Banner | null
  look: () => Promise<void>
  close: () => Promise<void>
}

/** Follows the switches in the database: a change counts on every server within moments. */
export async function serveSwitches({
  db,
  listener,
  log,
}: {
  db: Database
  listener: Listener
  log: Logger
}): Promise<Switches> {
  let banner: Banner | null = null
  let missed = false
  let last: Promise<unknown> = Promise.resolve()

  const lookOnce = async (): Promise<void> => {
    const rows = await readSwitches(db.kysely)
    const next = bannerSetting.safeParse(rows.find(({ name }) => name === 'banner')?.setting).data ?? null
    if (next?.text !== banner?.text || next?.until !== banner?.until) banner = next
  }
  const look = (): Promise<void> => {
    const looked = last.then(lookOnce)
    last = looked.catch((error: Error) => {
      missed = true
      log.error({ error: error.message }, 'could not read the switches')
    })
    return looked
  }
  listener.on(SWITCHES_CHANGED, () => void look().catch(() => {}))
  listener.onLost(() => {
    missed = true
  })
  // What changed while nothing was heard is looked for as soon as the database can be heard again.
  const timer = setInterval(() => {
    if (!missed || !listener.connected) return
    missed = false
    void look().catch(() => {})
  }, LOOK_AGAIN_MS)
  timer.unref()
  await look()
  return {
    banner: () => (banner && Date.parse(banner.until) > Date.now() ? banner : null),
    look,
    async close() {
      clearInterval(timer)
      await last
    },
  }
}
