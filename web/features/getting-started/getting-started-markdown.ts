import type { Plan } from '#contract/billing.ts'
import { ORIGIN } from '../../docs/page.ts'
import type { Settings } from '../../lib/settings.ts'
import { planFacts } from '../pricing/plan-facts.ts'
import { firstCall, shownLanguages } from '../snippets/code.ts'
import { languagePlace } from '../snippets/languages.ts'
import { startText as text } from './text.ts'

/** The guide as Markdown. */
export function gettingStartedMarkdown(plans: readonly Plan[] | null, settings?: Settings): string {
  const named = settings?.shop.named ?? false
  const { account, plan, key, request } = text.steps
  const facts = planFacts(plans)
  const examples = shownLanguages(named).map(
    (language) =>
      `${languagePlace[language]}:\n\n\`\`\`${languagePlace[language] === 'Terminal' ? 'bash' : language}\n${firstCall(language, ORIGIN, 'YOUR_API_KEY', named)}\n\`\`\``,
  )
  return [
    text.about,
    `## 1. ${account.title}`,
    account.about,
    `[${account.action}](/login)`,
    `## 2. ${plan.title}`,
    plan.about,
    `- ${plan.free(facts)}\n- ${plan.pro(facts)}`,
    `[${plan.action}](/docs/pricing)`,
    `## 3. ${key.title}`,
    key.about,
    `[${key.action}](/dashboard/api-keys)`,
    `## 4. ${request.title}`,
    request.about,
    ...examples,
    `## ${text.next}`,
    `[${text.docs}](/docs) · [${text.faq}](/docs/faq)`,
  ].join('\n\n')
}
