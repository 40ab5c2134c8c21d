import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Logger } from 'pino'
import type { Plan } from '#contract/billing.ts'
import type { FaqCategory, LegalPage, PublicDataset } from '#contract/site.ts'
import type { webSettings } from './web-settings.ts'

const bundle = join(resolve(import.meta.dirname, '../../../dist/ssr'), 'entry-server.js')

/** The data that a page is rendered from. It is sent with the page, so that the browser's first render matches. */
export interface PageData {
  settings: ReturnType<typeof webSettings>
  session: 'visitor' | 'checking'
  plans: Plan[] | null
  legal: LegalPage | null
  datasets: PublicDataset[] | null
  faq: FaqCategory[] | null
}

/** The web application, built to run here: maps a path to its page and renders it as HTML. */
export interface PageDrawer {
  matchPage: (path: string) => {
    routeId: string | null
    params: Record<string, string>
    description: string | null
    /** For the page's head; null if it needs none. */
    script: string | null
  }
  drawPage: (path: string, data: PageData) => Promise<{ html: string; title: string }>
}

let loaded: Promise<PageDrawer | null> | undefined

/**
 * The built renderer, loaded on first use. Null if the web was built without it (`npm run dev`) or it does not load:
 * the browser then renders the pages.
 */
export async function loadDrawer(log: Logger): Promise<PageDrawer | null> {
  if (!existsSync(bundle)) return null
  loaded ??= (import(pathToFileURL(bundle).href) as Promise<PageDrawer>).catch((error: Error) => {
    log.error({ error: error.message }, 'dist/ssr cannot be loaded: pages are not prerendered')
    return null
  })
  return loaded
}
