import type { Plan } from '#contract/billing.ts'
import { isMostPopular, POPULAR } from '../plans/annual-price.ts'
import { isPayAsYouGo } from '../plans/plan-price.ts'
import { planFeatures } from '../plans/plan-terms.ts'
import { calculatorText } from './calculator-text.ts'
import { enterpriseFeatures } from './enterprise-text.ts'
import { fallbackPlans, type ShownPlan } from './fallback-plans.ts'
import { fallbackText } from './fallback-text.ts'
import { pricingQuestions } from './pricing-questions.ts'
import { type PricingSettings, pricingTerms } from './pricing-terms.ts'
import { questionsText } from './questions-text.ts'
import { shownPlans, shownPrice } from './shown-plans.ts'
import { pricingText as text } from './text.ts'

/** The pricing page as Markdown. */
export function pricingMarkdown(plans: readonly Plan[] | null, settings: PricingSettings = UNNAMED): string {
  const shown = plans ? shownPlans(plans, settings.shop.named) : settings.shop.named ? [] : fallbackPlans
  const { about: said, annual, promises, enterprise } = pricingTerms(shown, settings)
  const questions = pricingQuestions(shown, settings)
  const { title, about, price, per, contact, featuresTitle } = text.enterprise
  return [
    said,
    ...(plans === null && shown.length > 0 ? [`**${fallbackText.title}** ${fallbackText.about}`] : []),
    ...shown.map((plan) => planSection(plan, annual)),
    ...(enterprise ? [`## ${title}\n\n${about}\n\n**${price}** ${per}\n\n[${contact}](%SALES%)`] : []),
    ...(enterprise && enterprise.features.length > 0
      ? [`### ${featuresTitle}\n\n${list(enterpriseFeatures.map((one) => `**${one.title}**: ${one.about}`))}`]
      : []),
    `---\n\n${list(promises)}`,
    calculatorText.note,
    ...(questions.length > 0 ? [`## ${questionsText.title}`] : []),
    ...questions.map(({ title, content }) => `### ${title}\n\n${content}`),
    `[${questionsText.more}](/docs/faq)`,
  ].join('\n\n')
}

function planSection(plan: ShownPlan, annual: boolean): string {
  const monthly = shownPrice(plan, false)
  const yearly = shownPrice(plan, true)
  const payg = isPayAsYouGo(plan)
  const price = [`**${monthly.price} ${monthly.per}**`, isMostPopular(plan) && POPULAR, !payg && monthly.note]
  return [
    `## ${plan.name}`,
    plan.description,
    price.filter(Boolean).join(' · '),
    ...(payg ? [monthly.note] : []),
    ...(annual && plan.price > 0 ? [`${text.billedAnnually}: ${yearly.price} ${yearly.per}, ${yearly.note}`] : []),
    list(planFeatures(plan)),
  ].join('\n\n')
}

/** In the build, which does not know the settings. */
const UNNAMED = { shop: { named: false }, links: { sales: 'mailto:' } } as PricingSettings

const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')
