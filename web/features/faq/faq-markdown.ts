import type { Plan } from '#contract/billing.ts'
import { type FaqSettings, questionCategories } from './questions.ts'
import { faqText as text } from './text.ts'

const ALONE: FaqSettings = { passwords: false, keysReveal: 'always', shop: { named: false } }

/** The FAQ as Markdown. Without `settings`, which the build does not know, as for an installation with the defaults. `own`: the operator's. */
export const faqMarkdown = (plans: readonly Plan[] | null, settings: FaqSettings = ALONE, own?: string): string =>
  [
    text.about,
    own === undefined ? listed(plans, settings) : own.replace(/^# .*$/m, '').trim(),
    `## ${text.help}`,
    `${text.helpAbout} [${text.email}](mailto:%SUPPORT%) · [${text.documentation}](/docs)`,
  ].join('\n\n')

const listed = (plans: readonly Plan[] | null, settings: FaqSettings): string =>
  questionCategories(plans, settings)
    .flatMap(({ name, questions }) => [
      `## ${name}`,
      ...questions.map(({ question, answer }) => `### ${question}\n\n${answer}`),
    ])
    .join('\n\n')
