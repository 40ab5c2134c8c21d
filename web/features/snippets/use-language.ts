import { useState } from 'react'
import { type Language, languages } from './snippets.ts'

const storageKey = 'finmeter.language'

function stored(): Language {
  try {
    const value = localStorage.getItem(storageKey)
    return languages.find((language) => language === value) ?? 'curl'
  } catch {
    return 'curl'
  }
}

/** The language of snippets, remembered across the site. */
export function useLanguage() {
  const [language, setLanguage] = useState(stored)
  const choose = (next: Language) => {
    setLanguage(next)
    try {
      localStorage.setItem(storageKey, next)
    } catch {
      // Storage may be forbidden; the choice then lasts for this page.
    }
  }
  return [language, choose] as const
}
