import type MiniSearch from 'minisearch'
import { keepWidth } from '../ui/dialog/keep-width.ts'
import { type Found, indexOptions, queryOptions } from './search-index.ts'

const MOST_RESULTS = 12

let index: Promise<MiniSearch> | undefined

/** The library and the index, fetched when search is first opened. */
export function loadIndex(): Promise<MiniSearch> {
  index ??= Promise.all([
    import('minisearch'),
    fetch('/docs/search.json').then((response) => {
      if (!response.ok) throw new Error(`search.json: ${response.status}`)
      return response.text()
    }),
  ]).then(([{ default: Library }, json]) => Library.loadJSON(json, indexOptions))
  index.catch(() => {
    index = undefined
  })
  return index
}

/** The search dialog. Ctrl K or the button opens it, arrows move, Enter navigates. Returns a function that opens it. */
export function startSearch(signal?: AbortSignal): () => void {
  const dialog = document.getElementById('search') as HTMLDialogElement
  const field = document.getElementById('search-field') as HTMLInputElement
  const open = () => {
    if (!dialog.open) {
      keepWidth()
      dialog.showModal()
    }
    field.select()
    void loadIndex().catch(() => {})
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
    const followed = (event.target as Element).closest('a') !== null
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
    results().replaceChildren()
    field.ariaExpanded = 'false'
    field.removeAttribute('aria-activedescendant')
    status.textContent = 'Type to search guides, endpoints and errors.'
    return
  }
  try {
    const index = await loadIndex()
    const all = index.search(term, queryOptions)
    // No section contains a whole sentence: fall back to sections that contain most of its words.
    const found = (all.length > 0
      ? all
      : index.search(term, { ...queryOptions, combineWith: 'OR' })) as unknown as Found[]
    if (field.value.trim() !== term) return
    results().replaceChildren(...found.slice(0, MOST_RESULTS).map(option))
    field.ariaExpanded = String(found.length > 0)
    choose(field, 0)
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

function option({ id, page, section, excerpt }: Found, position: number): HTMLElement {
  const link = document.createElement('a')
  link.href = id
  link.id = `result-${position}`
  link.role = 'option'
  link.tabIndex = -1
  link.className = 'docs-result'
  const title = document.createElement('span')
  title.className = 'font-strong'
  title.textContent = section ? `${page}: ${section}` : page
  const text = document.createElement('span')
  text.className = 'text-muted'
  text.textContent = excerpt
  link.append(title, text)
  return link
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
    all[Math.max(0, current)]!.click()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    choose(field, (current + (event.key === 'ArrowDown' ? 1 : -1) + all.length) % all.length)
  }
}
