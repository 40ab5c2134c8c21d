import { type Language, languages } from './languages.ts'

const storageKey = 'finmeter.language'

/** The language last selected for snippets, anywhere on the site. */
export function storedLanguage(): Language {
  try {
    const value = localStorage.getItem(storageKey)
    return languages.find((language) => language === value) ?? 'curl'
  } catch {
    return 'curl'
  }
}

export function storeLanguage(language: Language): void {
  try {
    localStorage.setItem(storageKey, language)
  } catch {
    // Storage may be blocked; the choice then lasts for this page.
  }
}
