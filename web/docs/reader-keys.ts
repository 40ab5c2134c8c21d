import type { ApiKey } from '#contract/keys.ts'
import { maskKey } from '../lib/mask.ts'

/** The placeholder for a key in every example. */
export const STAND_IN = 'YOUR_API_KEY'
export const DEMO_KEY = 'demo'

/** Whether the demo key answers the page's own call. */
export const hasDemoKey = (): boolean => document.querySelector('[data-demo-key]') !== null

export interface ReaderKeys {
  /** The key for calls from this page: null until it is known, or if the reader has no key that may be shown. */
  current: () => { value: string; shown: string; name: string } | null
  /** Calls `listener` whenever the key changes. */
  watch: (listener: () => void) => void
  /** `code` with the placeholder replaced by the full selected key, as it should be copied. */
  withKey: (code: string) => string
}

/**
 * Puts the reader's key into the examples: masked on the screen, in full when copied. Without a session, or where keys
 * are shown only once, the placeholder stays, except that the page's own call has the demo key where that answers it.
 */
export function startReaderKeys(): ReaderKeys {
  let current: ReturnType<ReaderKeys['current']> = null
  const listeners: (() => void)[] = []
  const places = 'session' in document.documentElement.dataset ? markPlaces('.docs-code pre') : []
  if (places.length === 0 && hasDemoKey())
    for (const place of markPlaces('#request ~ .docs-code pre')) place.textContent = DEMO_KEY
  const choose = ({ apiKey, name }: ApiKey) => {
    current = { value: apiKey, shown: maskKey(apiKey), name }
    for (const place of places) place.textContent = current.shown
    for (const listener of listeners) listener()
  }
  if (places.length > 0) void offerKeys(choose)
  return {
    current: () => current,
    watch: (listener) => listeners.push(listener),
    withKey: (code) => (current ? code.replaceAll(current.shown, current.value) : code),
  }
}

/** Wraps every placeholder in these code blocks, so that it can be replaced in place. */
function markPlaces(blocks: string): HTMLElement[] {
  const places: HTMLElement[] = []
  for (const code of document.querySelectorAll(blocks)) {
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    const texts: Text[] = []
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    for (const text of texts) {
      let rest = text
      for (let at = rest.data.indexOf(STAND_IN); at !== -1; at = rest.data.indexOf(STAND_IN)) {
        const found = rest.splitText(at)
        rest = found.splitText(STAND_IN.length)
        const place = document.createElement('span')
        found.replaceWith(place)
        place.textContent = STAND_IN
        places.push(place)
      }
    }
  }
  return places
}

async function offerKeys(choose: (key: ApiKey) => void): Promise<void> {
  // Without keys, the examples keep their placeholder.
  const all = await readKeys().catch(() => [])
  // The server ends a shortened value with three dots.
  const keys = all.filter(({ apiKey }) => apiKey && !apiKey.endsWith('...'))
  const label = document.querySelector<HTMLElement>('[data-key-choice]')
  const select = label?.querySelector('select')
  if (!keys[0] || !label || !select) return
  select.replaceChildren(...keys.map(({ id, name }) => new Option(name, id)))
  select.addEventListener('change', () => choose(keys[select.selectedIndex]!))
  label.hidden = false
  choose(keys[0])
}

/** The keys of the workspace, without the application's HTTP client, which would pull in its cache. */
async function readKeys(): Promise<ApiKey[]> {
  const { accessToken } = await import('../lib/auth/session.ts')
  const { selectedWorkspace } = await import('../lib/workspace.ts')
  const token = await accessToken()
  if (!token) return []
  const workspace = selectedWorkspace()
  const response = await fetch('/api/keys', {
    headers: { authorization: `Bearer ${token}`, ...(workspace && { 'x-workspace-id': workspace }) },
  })
  const answer = (await response.json()) as { success: boolean; data?: { apiKeys: ApiKey[] } }
  return answer.data?.apiKeys ?? []
}
