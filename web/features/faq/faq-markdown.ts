import type { Plan } from '#contract/billing.ts'
import { planFacts } from '../pricing/plan-facts.ts'
import { type FaqSettings, questionCategories } from './questions.ts'
import { faqText as text } from './text.ts'

const ALONE: FaqSettings = { passwords: false, keysReveal: 'always' }

/** The FAQ as Markdown. Without `settings`, which the build does not know, as for an installation with the defaults. */
export const faqMarkdown = (plans: readonly Plan[] | null, settings: FaqSettings = ALONE): string =>
  [
    text.about,
    ...questionCategories(planFacts(plans), settings).flatMap(({ name, questions }) => [
      `## ${name}`,
      ...questions.map(({ question, answer }) => `### ${question}\n\n${answer}`),
    ]),
    `## ${text.help}`,
    `${text.helpAbout} [${text.email}](mailto:%SUPPORT%) · [${text.documentation}](/docs)`,
  ].join('\n\n')
