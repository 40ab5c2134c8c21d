import type { Plan } from '#contract/billing.ts'
import type { Settings } from '../../lib/settings.ts'
import { planFacts } from '../pricing/plan-facts.ts'
import { questionCategories } from './questions.ts'
import { faqText as text } from './text.ts'

/** The FAQ as Markdown. Without `settings`, which the build does not know, as for an installation with the defaults. */
export const faqMarkdown = (plans: readonly Plan[] | null, settings?: Pick<Settings, 'passwords'>): string =>
  [
    text.about,
    ...questionCategories(planFacts(plans), settings?.passwords ?? false).flatMap(({ name, questions }) => [
      `## ${name}`,
      ...questions.map(({ question, answer }) => `### ${question}\n\n${answer}`),
    ]),
    `## ${text.help}`,
    `${text.helpAbout} [${text.email}](mailto:%SUPPORT%) · [${text.documentation}](/docs)`,
  ].join('\n\n')
