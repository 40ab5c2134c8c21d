import type { Caller } from '../metering/meter.ts'
import type { Manifest } from './manifest.ts'
import { type MarketData, restrict } from './market-data.ts'
import type { PlansOfAccount } from './plans-of-account.ts'

/** A server's market data, as each caller may read it. */
export interface MarketAccess {
  /** All data, regardless of who may read it. */
  readonly current: MarketData
  /** Readers keep the version that they started with; a new version applies to later calls. */
  replace: (next: MarketData) => void
  /**
   * The data that the caller may read: data reserved for plans only with such a plan, and for callers without an
   * account (the demo key, a number below 0) only public data. Returns synchronously where nothing is reserved.
   */
  of: (caller: Pick<Caller, 'accountId'>) => MarketData | Promise<MarketData>
}

export function createMarketAccess(first: MarketData, plansOf: PlansOfAccount): MarketAccess {
  let current = first
  let reserved = reservedPlans(first)
  /** Views of `current`, by the caller's plans among the reserved ones. */
  let views = new Map<string, MarketData>()

  const view = (name: string, mayRead: (manifest: Manifest) => boolean): MarketData => {
    const made = views.get(name) ?? restrict(current, mayRead, name !== ANYBODY)
    views.set(name, made)
    return made
  }
  const withPlans = (plans: ReadonlySet<string>): MarketData => {
    const own = reserved.filter((plan) => plans.has(plan))
    return view(JSON.stringify(own), (manifest) => !manifest.plans || manifest.plans.some((plan) => plans.has(plan)))
  }

  return {
    get current() {
      return current
    },
    replace(next) {
      current = next
      reserved = reservedPlans(next)
      views = new Map()
    },
    of({ accountId }) {
      if (accountId < 0) return view(ANYBODY, mayShowAnybody)
      if (reserved.length === 0) return current
      const plans = plansOf(accountId)
      return plans instanceof Promise ? plans.then(withPlans) : withPlans(plans)
    },
  }
}

const ANYBODY = 'anybody'

const reservedPlans = ({ manifests }: MarketData): string[] => [
  ...new Set(manifests.flatMap(({ plans = [] }) => plans)),
]

const mayShowAnybody = ({ redistribution, plans }: Manifest): boolean =>
  !plans && (redistribution === 'open' || redistribution === 'demo-only')
