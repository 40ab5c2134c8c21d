import { layoutText } from './text.ts'

/** A page that exists. */
export interface Suggestion {
  href: string
  title: string
}

/** Where most readers want to go. */
export const usualPages: readonly Suggestion[] = [
  { href: '/docs', title: layoutText.documentation },
  { href: '/docs/pricing', title: layoutText.pricing },
  { href: '/docs/faq', title: layoutText.faq },
]
