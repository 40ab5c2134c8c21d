import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import type { Listener } from '../../db/listen.ts'
import { openShop } from './read-shop-file.ts'
import { isNamed, type Shop, unnamedShop } from './shop.ts'
import { hasCustomers, SHOP_CHANGED, servedShop } from './store.ts'

const LOOK_AGAIN_MS = 1_000
/** The first key and the last one change the home page of an installation that nobody named; nobody waits for that. */
const COUNT_AGAIN_MS = 60_000

/** How the installation names itself; `deps.shop`. */
export interface ShopAccess {
  /** The same object until the shop changes. A request reads it once. */
  current: () => Shop
  /** Takes over what was applied or undone since. */
  look: () => Promise<void>
  close: () => Promise<void>
}

interface Needs {
  config: Pick<Config, 'SUPPORT_EMAIL' | 'MAIL_FROM' | 'sandbox'>
  db: Database
  listener: Listener
  log: Logger
  /** Prepares for `shop`, then calls `serve` in the moment in which everything else changes, too: no answer has half of each. */
  take?: (shop: Shop, serve: () => void) => Promise<void>
}

/**
 * Serves the shop that was applied last, and takes over changes when the database tells of them. Throws if it cannot be read at the
 * start: an installation must not appear under another name. Later, the one before stays until it can.
 */
export async function serveShop({
  config,
  db,
  listener,
  log,
  take = async (_, serve) => serve(),
}: Needs): Promise<ShopAccess> {
  const unnamed = unnamedShop(config)
  const selling: Shop = Object.freeze({ ...unnamed, customers: true })
  let shop: Shop | undefined
  let last: Promise<unknown> = Promise.resolve()
  let missed = false

  const lookOnce = async (): Promise<void> => {
    const served = await servedShop(db.kysely)
    // Where sign-in is simulated, nobody is a customer.
    const open = async () => (!config.sandbox && (await hasCustomers(db.kysely)) ? selling : unnamed)
    const next = served ? openShop(served, unnamed) : await open()
    const same = next.version === shop?.version && next.customers === shop.customers
    if (same && next.sender.address === shop?.sender.address) return
    await take(next, () => {
      shop = next
    })
  }
  const look = (): Promise<void> => {
    const looked = last.then(lookOnce)
    last = looked.catch((error: Error) => log.error({ error: error.message }, 'could not read the shop'))
    return looked
  }
  const lookLater = (): void => {
    look().catch(() => {
      missed = true
    })
  }
  // Before the first look: nothing that changes meanwhile is missed.
  listener.on(SHOP_CHANGED, lookLater)
  listener.onLost(() => {
    missed = true
  })
  // What changed while nothing was heard is looked for as soon as the database can be heard again.
  const timer = setInterval(() => {
    if (!missed || !listener.connected) return
    missed = false
    lookLater()
  }, LOOK_AGAIN_MS)
  timer.unref()
  const counting = setInterval(() => {
    if (shop && !config.sandbox && !isNamed(shop) && listener.connected) lookLater()
  }, COUNT_AGAIN_MS)
  counting.unref()
  await look()
  return {
    current: () => shop!,
    look,
    async close() {
      clearInterval(timer)
      clearInterval(counting)
      await last
    },
  }
}

/** Remembers what `build` makes of the newest shop. */
export function perShop<T>(build: (shop: Shop) => T): (shop: Shop) => T {
  let kept: { of: Shop; built: T } | undefined
  return (shop) => {
    if (kept?.of !== shop) kept = { of: shop, built: build(shop) }
    return kept.built
  }
}
