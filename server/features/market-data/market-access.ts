import type { PlansOfAccount } from '../entitlement/plans-of-account.ts'
import { type Reader, whyWithheld } from '../entitlement/why-withheld.ts'
import type { Caller } from '../metering/meter.ts'
import { type MarketData, restrict } from './market-data.ts'

/** A server's market data, as each caller may read it. */
export interface MarketAccess {
  /** All data, regardless of who may read it. */
  readonly current: MarketData
  /** Readers keep the version that they started with; a new version applies to later calls. */
  replace: (next: MarketData) => void
  /**
   * The data that the caller may read: data reserved for plans only with such a plan, and for callers without an
   * account (the demo key, a number below 0) only public data. `forAi`: an AI client gets the answer, so data whose terms
   * forbid that is withheld. Returns synchronously where nothing is reserved.
   */
  of: (caller: Pick<Caller, 'accountId'>, forAi?: boolean) => MarketData | Promise<MarketData>
}

export function createMarketAccess(first: MarketData, plansOf: PlansOfAccount): MarketAccess {
  let current = first
  let reserved = reservedPlans(first)
  /** Views of `current`, by the caller's plans among the reserved ones. */
  let views = new Map<string, MarketData>()

  const viewFor = (name: string, reader: Reader): MarketData => {
    const key = `${name}${reader.forAi ? ' for AI' : ''}`
    const made = views.get(key) ?? restrict(current, (manifest) => whyWithheld(manifest, reader))
    views.set(key, made)
    return made
  }
  const withPlans = (plans: ReadonlySet<string>, forAi: boolean): MarketData =>
    viewFor(JSON.stringify(reserved.filter((plan) => plans.has(plan))), { plans, forAi })

  return {
    get current() {
      return current
    },
    replace(next) {
      current = next
      reserved = reservedPlans(next)
      views = new Map()
    },
    of({ accountId }, given = false) {
      const forAi = given && current.manifests.some((manifest) => manifest.ai_clients === false)
      if (accountId < 0) return viewFor(ANYBODY, { plans: null, forAi })
      if (reserved.length === 0) return forAi ? withPlans(new Set(), forAi) : current
      const plans = plansOf(accountId)
      return plans instanceof Promise ? plans.then((own) => withPlans(own, forAi)) : withPlans(plans, forAi)
    },
  }
}

const ANYBODY = 'anybody'

const reservedPlans = ({ manifests }: MarketData): string[] => [
  ...new Set(manifests.flatMap(({ plans = [] }) => plans)),
]
