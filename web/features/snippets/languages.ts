export const languages = ['curl', 'javascript', 'python', 'cli'] as const
export type Language = (typeof languages)[number]
/** Languages that need no program of ours. */
export type HttpLanguage = Exclude<Language, 'cli'>

export const languageName: Record<Language, string> = {
  curl: 'curl',
  javascript: 'TypeScript',
  python: 'Python',
  cli: 'CLI',
}

/** Where to run the code of a language. */
export const languagePlace: Record<Language, string> = {
  curl: 'Terminal',
  javascript: 'first-call.mjs',
  python: 'first_call.py',
  cli: 'Terminal',
}
