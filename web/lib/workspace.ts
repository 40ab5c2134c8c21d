/** Which workspace this tab works in: an id for `X-Workspace-Id`, or null for the person's own. Not a secret. */
const storageKey = 'finmeter.workspace'

let selected = read()
const listeners = new Set<() => void>()

function read(): string | null {
  try {
    // This tab's choice; a new tab begins with the last one made anywhere.
    return sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

export const selectedWorkspace = () => selected

/** Takes effect with the next request; whoever calls it also empties what was cached. */
export function selectWorkspace(id: string | null): void {
  selected = id
  try {
    for (const storage of [sessionStorage, localStorage])
      if (id) storage.setItem(storageKey, id)
      else storage.removeItem(storageKey)
  } catch {
    // Storage may be forbidden; the choice then lasts for this page.
  }
  for (const listener of listeners) listener()
}

/** Calls `listener` after each choice; returns what ends that. */
export function onWorkspaceChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
