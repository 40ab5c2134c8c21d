import type { Plan } from '#contract/billing.ts'
import type { LegalPage } from '#contract/site.ts'
import type { Settings } from './settings.ts'

/** What the server knows when it draws a page, sent along so that the browser draws the same at first. */
export interface InitialData {
  settings: Settings
  /** Drawn for a visitor, or for a person whose session is still being checked. */
  session: 'visitor' | 'checking'
  /** The public catalogue; null when it could not be read. */
  plans: Plan[] | null
  legal: LegalPage | null
}

let held: InitialData | null = null

/** Set once before the first drawing: by the server for each page, in the browser from the page itself. */
export function holdInitialData(data: InitialData): void {
  held = data
}

/** Null where the page came without: in development, or from a server that cannot draw. */
export const initialData = (): InitialData | null => held

/** Reads what the server put into this document. */
export function readInitialData(): InitialData | null {
  const text = document.getElementById('initial-data')?.textContent
  return text ? (JSON.parse(text) as InitialData) : null
}
