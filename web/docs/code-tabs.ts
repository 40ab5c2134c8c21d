import { storedLanguage, storeLanguage } from '../features/snippets/language.ts'
import type { Language } from '../features/snippets/languages.ts'

const tabs = (of: ParentNode) => [...of.querySelectorAll<HTMLButtonElement>('[role=tab][data-language]')]

/** Language tabs: one language at a time, the same on the whole site. */
export function startCodeTabs(): void {
  show(storedLanguage())
  document.addEventListener('click', (event) => {
    const tab = (event.target as Element).closest<HTMLElement>('[role=tab][data-language]')
    if (tab) choose(tab)
  })
  document.addEventListener('keydown', (event) => {
    const tab = (event.target as Element).closest<HTMLElement>('[role=tab][data-language]')
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!tab || !step) return
    event.preventDefault()
    const all = tabs(tab.parentElement!)
    const next = all[(all.indexOf(tab as HTMLButtonElement) + step + all.length) % all.length]!
    choose(next)
    next.focus()
  })
}

/** Selects a language everywhere and keeps the pressed tab at its place on the screen. */
function choose(tab: HTMLElement): void {
  const before = tab.getBoundingClientRect().top
  const language = tab.dataset.language as Language
  storeLanguage(language)
  show(language)
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
}

function show(language: Language): void {
  for (const list of document.querySelectorAll('[role=tablist]:has([data-language])')) {
    const all = tabs(list)
    // Named shops have no snippets of the client libraries.
    const chosen = all.find((tab) => tab.dataset.language === language) ?? all[0]
    for (const tab of all) {
      const selected = tab === chosen
      tab.ariaSelected = String(selected)
      tab.tabIndex = selected ? 0 : -1
      document.getElementById(tab.getAttribute('aria-controls')!)!.toggleAttribute('data-off', !selected)
    }
  }
}
