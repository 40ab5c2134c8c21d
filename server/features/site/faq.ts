import type { FaqCategory } from '#contract/site.ts'
import { readFaq } from '../shop/read-faq.ts'
import type { Shop } from '../shop/shop.ts'
import { toHtml } from './legal-pages.ts'

/** The questions that the operator wrote; null: those of the build. */
export function faqOf({ pages }: Pick<Shop, 'pages'>): FaqCategory[] | null {
  if (pages.faq === undefined) return null
  return readFaq(pages.faq).map(({ name, questions }) => ({
    name,
    questions: questions.map(({ question, answer }) => ({ question, html: toHtml(answer) })),
  }))
}
