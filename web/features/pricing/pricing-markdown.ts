import type { Plan } from '#contract/billing.ts'
import { isMostPopular } from '../plans/annual-price.ts'
import { fallbackPlans, type ShownPlan } from './fallback-plans.ts'
import { shownPlans, shownPrice } from './shown-plans.ts'
import { pricingText as text } from './text.ts'

/** The pricing page as Markdown. */
export function pricingMarkdown(plans: readonly Plan[] | null): string {
  const { payg, enterprise } = text
  return [
    text.about,
    ...(plans === null ? [`**${text.fallback}** ${text.fallbackAbout}`] : []),
    ...(plans === null ? fallbackPlans : shownPlans(plans)).map(planSection),
    `## ${payg.title}\n\n${payg.about}\n\n**${payg.price} ${payg.per}**\n\n${payg.minimum}\n\n${list(payg.features)}`,
    `## ${enterprise.title}\n\n${enterprise.about}\n\n**${enterprise.price}** ${enterprise.per}\n\n[${enterprise.contact}](%SALES%)`,
    `### ${enterprise.featuresTitle}\n\n${list(enterprise.features.map(({ title, about }) => `**${title}**: ${about}`))}`,
    `---\n\n${list(text.promises)}`,
    `## ${text.faqTitle}`,
    ...text.faq.map(({ title, content }) => `### ${title}\n\n${content}`),
    `[${text.moreQuestions}](/docs/faq)`,
  ].join('\n\n')
}

function planSection(plan: ShownPlan): string {
  const monthly = shownPrice(plan, false)
  const annual = shownPrice(plan, true)
  const price = [`**${monthly.price} ${text.perMonth}**`, isMostPopular(plan) && text.popular, monthly.note]
  return [
    `## ${plan.name}`,
    plan.description,
    price.filter(Boolean).join(' · '),
    ...(plan.price > 0 ? [`${text.billedAnnually}: ${annual.price} ${text.perMonth}, ${annual.note}`] : []),
    list(plan.marketing_features.map(({ name }) => name)),
  ].join('\n\n')
}

const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')
