/** An operator sees the pages of a customer in this tab, read only, until the view ends. */
export interface View {
  token: string
  /** ISO 8601. */
  expiresAt: string
  userId: string
  email: string
  accountId: string
  name: string
  /** The page to return to. */
  back: string
}

const storageKey = 'finmeter.view'

/** The view of this tab, or null. Another tab is signed in as ever. */
export const view: View | null = read()

function read(): View | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as View | null
    if (found && Date.parse(found.expiresAt) > Date.now()) return found
    sessionStorage.removeItem(storageKey)
    return null
  } catch {
    return null
  }
}

/** Ends the view and returns to the page where it began. Its code is loaded then: hardly any visit is a view. */
export const leaveView = (): Promise<void> => import('./leave-view.ts').then(({ leave }) => leave(view, storageKey))
