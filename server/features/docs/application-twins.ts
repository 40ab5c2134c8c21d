import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plan } from '#contract/billing.ts'
import type { Deps } from '../../deps.ts'
import type { Shop } from '../shop/shop.ts'
import { publicPlans } from '../site/public-plans.ts'
import { webSettings } from '../site/web-settings.ts'
import type { FillMarks } from './fill-marks.ts'

/** The Markdown twin of a page that the application renders. */
export interface Twin {
  path: string
  text: string
}

/** Built by `scripts/build-docs.ts` from web/application-pages.ts. */
interface Writer {
  writeTwins: (plans: Plan[] | null, settings: ReturnType<typeof webSettings>, faq: string | undefined) => Twin[]
  linesOfPlans: (plans: Plan[] | null, settings: ReturnType<typeof webSettings>) => string[]
}

const bundle = join(resolve(import.meta.dirname, '../../../dist/docs-template'), 'application-pages.js')
/** The same time for which a rendered page is reused. */
const FRESH_MS = 60_000

/** What depends on the plans. */
export interface PlanTexts {
  twins: readonly Twin[]
  /** A line for each plan. */
  lines: readonly string[]
}

export interface ApplicationTwins {
  paths: string[]
  /** The same object until the shop or the plans change, which is checked once a minute. */
  current: () => Promise<PlanTexts>
}

/** Writes the twins of pages that name plans, using the plans of this installation. */
export async function createApplicationTwins(deps: Deps, fillOf: (shop: Shop) => FillMarks): Promise<ApplicationTwins> {
  const { writeTwins, linesOfPlans } = (await import(pathToFileURL(bundle).href)) as Writer
  let kept: { shop: Shop; plans: string; texts: PlanTexts; readAt: number } | undefined
  return {
    paths: writeTwins(null, webSettings(deps.config, deps.shop.current()), undefined).map(({ path }) => path),
    current: async () => {
      const shop = deps.shop.current()
      if (kept?.shop === shop && Date.now() - kept.readAt < FRESH_MS) return kept.texts
      const plans = await publicPlans(deps)
      const text = JSON.stringify(plans)
      const settings = webSettings(deps.config, shop)
      const write = (): PlanTexts => ({
        twins: writeTwins(plans, settings, shop.pages.faq).map(({ path, text }) => ({
          path,
          text: fillOf(shop)(text, 'text'),
        })),
        lines: linesOfPlans(plans, settings),
      })
      const texts = kept?.plans === text && kept.shop === shop ? kept.texts : write()
      kept = { shop, plans: text, texts, readAt: Date.now() }
      return texts
    },
  }
}
