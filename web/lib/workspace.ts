import { view } from './auth/view.ts'

/** The workspace of this tab: an ID for `X-Workspace-Id`, or null for the user's own. Not a secret. */
const storageKey = 'finmeter.workspace'

let selected = read()
const listeners = new Set<() => void>()

function read(): string | null {
  try {
    // This tab's choice; a new tab starts with the last choice of any tab.
    return sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

export const selectedWorkspace = () => view?.accountId ?? selected

/** Takes effect with the next request; callers must also clear the cache. */
export function selectWorkspace(id: string | null): void {
  if (view) return
  selected = id
  try {
    for (const storage of [sessionStorage, localStorage])
      if (id) storage.setItem(storageKey, id)
      else storage.removeItem(storageKey)
  } catch {
    // Storage may be blocked; the choice then lasts for this page.
  }
  for (const listener of listeners) listener()
}

/** Calls `listener` after each change; returns the unsubscribe function. */
export function onWorkspaceChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
