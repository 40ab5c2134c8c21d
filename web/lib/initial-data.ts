import type { Plan } from '#contract/billing.ts'
import type { FaqCategory, LegalPage, PublicDataset } from '#contract/site.ts'
import type { Settings } from './settings.ts'

/** The data the server rendered a page with, sent along so that the browser renders the same at first. */
export interface InitialData {
  settings: Settings
  /** Rendered for a visitor, or for a user during the session check. */
  session: 'visitor' | 'checking'
  /** The public plan catalog; null if it could not be read. */
  plans: Plan[] | null
  legal: LegalPage | null
  /** The datasets that anybody may read, the most recent first; only on the home page. */
  datasets: PublicDataset[] | null
  /** The operator's questions, on their page; null: those of the build. */
  faq: FaqCategory[] | null
}

let held: InitialData | null = null

/** Set before the first render: by the server for each page, in the browser from the page itself. */
export function holdInitialData(data: InitialData): void {
  held = data
}

/** Null if the page has none: in development, or from a server that cannot render. */
export const initialData = (): InitialData | null => held

/** Reads the initial data from this document. */
export function readInitialData(): InitialData | null {
  const text = document.getElementById('initial-data')?.textContent
  return text ? (JSON.parse(text) as InitialData) : null
}
