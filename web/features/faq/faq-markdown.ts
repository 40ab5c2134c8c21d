import type { Plan } from '#contract/billing.ts'
import { planFacts } from '../pricing/plan-facts.ts'
import { questionCategories, specifiedPlans } from './questions.ts'
import { faqText as text } from './text.ts'

/** The FAQ as Markdown. */
export const faqMarkdown = (plans: readonly Plan[] | null): string =>
  [
    text.about,
    ...questionCategories(planFacts(plans, specifiedPlans)).flatMap(({ name, questions }) => [
      `## ${name}`,
      ...questions.map(({ question, answer }) => `### ${question}\n\n${answer}`),
    ]),
    `## ${text.help}`,
    `${text.helpAbout} [${text.email}](mailto:%SUPPORT%) · [${text.documentation}](/docs)`,
  ].join('\n\n')
