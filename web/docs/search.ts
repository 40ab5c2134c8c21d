import { keepWidth } from '../ui/dialog/keep-width.ts'
import { landingCards } from './landing-links.ts'
import type { Search, Shown } from './open-index.ts'

const MOST_RESULTS = 12
/** Where most readers begin: shown while nothing is typed, and where nothing is found. */
const starts = [
  ...landingCards,
  { title: 'Errors', about: 'What each code means, and whether to try again.', href: '/docs/errors' },
]

let loaded: Promise<Search> | undefined

/** The search of the documentation, with its library and its index, fetched when it is first opened. */
export function loadSearch(): Promise<Search> {
  loaded ??= Promise.all([
    import('./open-index.ts'),
    fetch('/docs/search.json').then((response) => {
      if (!response.ok) throw new Error(`search.json: ${response.status}`)
      return response.text()
    }),
  ]).then(([{ openIndex }, json]) => openIndex(json))
  loaded.catch(() => {
    loaded = undefined
  })
  return loaded
}

/** The search dialog. Ctrl K or the button opens it, arrows move, Enter navigates. Returns a function that opens it. */
export function startSearch(signal?: AbortSignal): () => void {
  const dialog = document.getElementById('search') as HTMLDialogElement
  const field = document.getElementById('search-field') as HTMLInputElement
  const open = () => {
    if (field.value === '') showStarts(field)
    if (!dialog.open) {
      keepWidth()
      dialog.showModal()
    }
    field.select()
    void loadSearch().catch(() => {})
  }
  for (const button of document.querySelectorAll('[data-search-open]')) button.addEventListener('click', open)
  const onKey = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    open()
  }
  document.addEventListener('keydown', onKey, { signal })
  dialog.addEventListener('click', (event) => {
    const outside = event.target === dialog
    const followed = (event.target as Element).closest('a, [data-search-close]') !== null
    if (outside || followed) dialog.close()
  })
  field.addEventListener('input', () => void search(field))
  field.addEventListener('keydown', (event) => moveChoice(event, field))
  return open
}

const results = () => document.getElementById('search-results')!
const options = () => [...results().querySelectorAll<HTMLAnchorElement>('[role=option]')]

async function search(field: HTMLInputElement): Promise<void> {
  const term = field.value.trim()
  const status = document.getElementById('search-status')!
  if (term === '') {
    showStarts(field)
    status.textContent = 'Type to search guides, endpoints and errors.'
    return
  }
  try {
    const { find, show } = await loadSearch()
    const found = find(term)
    if (field.value.trim() !== term) return
    const shown = found.slice(0, MOST_RESULTS).map((one): Entry => ({ href: one.id, ...show(one) }))
    if (shown.length > 0) showEntries(field, shown, 0)
    else showStarts(field)
    status.textContent =
      found.length === 0
        ? `No results for "${term}". Try fewer or different words.`
        : found.length > MOST_RESULTS
          ? `Top ${MOST_RESULTS} of ${found.length} results`
          : `${found.length} ${found.length === 1 ? 'result' : 'results'}`
  } catch {
    status.textContent = 'The search could not be loaded. Type again to retry.'
  }
}

interface Entry extends Shown {
  href: string
}

const plain = (text: string): Shown['title'] => [{ text, hit: false }]

/** None is chosen: Enter must not lead where nobody wanted to go. */
const showStarts = (field: HTMLInputElement): void =>
  showEntries(
    field,
    starts.map(({ title, about, href }) => ({ href, title: plain(title), snippet: plain(about) })),
    -1,
  )

function showEntries(field: HTMLInputElement, entries: Entry[], chosen: number): void {
  results().replaceChildren(...entries.map(option))
  field.ariaExpanded = 'true'
  choose(field, chosen)
}

function option({ href, title, snippet }: Entry, position: number): HTMLElement {
  const link = document.createElement('a')
  link.href = href
  link.id = `result-${position}`
  link.role = 'option'
  link.tabIndex = -1
  link.className = 'docs-result'
  const kind = document.createElement('small')
  kind.className = 'float-right ml-3 text-small text-muted'
  kind.textContent = kindOf(href)
  link.append(kind, line('font-strong', title), line('text-muted', snippet))
  return link
}

function kindOf(href: string): string {
  if (/^\/docs\/errors\b/.test(href)) return 'Errors'
  return /^\/docs\/(reference|upstreams)\b/.test(href) ? 'Reference' : 'Guide'
}

/** A line of text in which the words that were searched for are marked. */
function line(className: string, parts: Shown['title']): HTMLElement {
  const span = document.createElement('span')
  span.className = className
  for (const { text, hit } of parts)
    if (!hit) span.append(text)
    else span.appendChild(document.createElement('mark')).textContent = text
  return span
}

function choose(field: HTMLInputElement, position: number): void {
  const all = options()
  for (const [index, link] of all.entries()) link.ariaSelected = String(index === position)
  const chosen = all[position]
  if (!chosen) {
    field.removeAttribute('aria-activedescendant')
    return
  }
  field.setAttribute('aria-activedescendant', chosen.id)
  chosen.scrollIntoView({ block: 'nearest' })
}

function moveChoice(event: KeyboardEvent, field: HTMLInputElement): void {
  const all = options()
  if (all.length === 0 || event.isComposing) return
  const current = all.findIndex((link) => link.ariaSelected === 'true')
  if (event.key === 'Enter') {
    event.preventDefault()
    all[current]?.click()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    const isDown = event.key === 'ArrowDown'
    choose(field, (Math.max(current, isDown ? -1 : 0) + (isDown ? 1 : -1) + all.length) % all.length)
  }
}
