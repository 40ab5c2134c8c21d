import type { Plan } from '#contract/billing.ts'
import { markdownTwin } from './docs/markdown-twin.ts'
import { faqMarkdown } from './features/faq/faq-markdown.ts'
import { faqText } from './features/faq/text.ts'
import { planLines } from './features/pricing/plan-lines.ts'
import { pricingMarkdown } from './features/pricing/pricing-markdown.ts'
import { pricingText } from './features/pricing/text.ts'
import { sellMarkdown } from './features/sell/sell-markdown.ts'
import { sellText } from './features/sell/text.ts'
import { descriptions } from './lib/descriptions.ts'
import type { Settings } from './lib/settings.ts'

interface ApplicationPage {
  path: string
  title: string
  description: string
  /** The page as Markdown. `plans`: null if those of the installation cannot be read. `settings`: absent in the build. `faq`: the operator's Markdown. */
  write: (plans: readonly Plan[] | null, settings?: Settings, faq?: string) => string
}

const page = (path: string, { title }: { title: string }, write: ApplicationPage['write']): ApplicationPage => ({
  path,
  title,
  description: descriptions[path]!,
  write,
})

/** Pages with a Markdown twin that the application renders. Some name plans, so only the server can write their twins. */
export const applicationPages: readonly ApplicationPage[] = [
  page('/docs/pricing', pricingText, pricingMarkdown),
  page('/docs/faq', faqText, faqMarkdown),
  page('/sell', { title: sellText.title.join(' ') }, sellMarkdown),
]

/** The Markdown twins, with the placeholders that every docs page has. */
export const writeTwins = (
  plans: readonly Plan[] | null,
  settings: Settings,
  faq: string | undefined,
): { path: string; text: string }[] =>
  applicationPages.map(({ write, ...about }) => ({
    path: about.path,
    text: markdownTwin({ ...about, markdown: write(plans, settings, faq) }),
  }))

/** What the quick start says of the plans. */
export const linesOfPlans = (plans: readonly Plan[] | null, { shop }: Settings): string[] =>
  planLines(plans, shop.named)
