import type { Plan } from '#contract/billing.ts'
import { formatWhole } from '../../lib/format.ts'
import { isPayAsYouGo, priceText } from '../plans/plan-price.ts'
import { planTerms, trialDays } from '../plans/plan-terms.ts'
import type { QuestionCategory } from './questions.ts'

/** Answers that promise what only the demonstration promises, or that are about the software: a named shop has its own, or none. */
const answers: Record<string, (plans: readonly Plan[]) => string | null> = {
  'How many requests does each plan include?': (plans) => plans.map(included).join(' ') || null,
  'What is your refund policy?': () => null,
  'Is there a free trial of paid plans?': (plans) => {
    const names = plans.filter((plan) => trialDays(plan) > 0).map((plan) => `${plan.name}: ${planTerms(plan)}.`)
    return names.length === 0 ? null : `${names.join(' ')} You are charged when it ends unless you cancel first.`
  },
  'Do I need a credit card to start?': (plans) =>
    plans.some(({ type }) => type === 'free')
      ? 'No. You redeem the free plan with one click, without a card. You enter one only when you choose a paid plan or buy credits.'
      : null,
  'What happens when my credits run out?': (plans) =>
    `Requests return 402 with a link to top up until the next period starts or you buy more.${plans
      .filter(isPayAsYouGo)
      .map((plan) => ` With ${plan.name} they continue, up to the spend cap you set.`)
      .join('')}`,
  'Are there rate limits?': () =>
    'Yes, per account, by its plan. Every response states the limit and what is left of it in the RateLimit headers.',
  'How fast do you respond?': () => null,
  'Can I run this platform myself?': () => null,
}

const included = (plan: Plan): string => {
  if (isPayAsYouGo(plan)) {
    const { amount, per } = priceText(plan)
    return `${plan.name} includes no requests: it costs ${amount} ${per}, ${planTerms(plan)}.`
  }
  if (plan.metadata.unlimited === 'true') return `${plan.name} has no limit.`
  return `${plan.name} includes ${formatWhole(plan.credits)} requests per ${plan.interval}.`
}

export const forNamedShop = (
  categories: readonly QuestionCategory[],
  plans: readonly Plan[] | null,
): QuestionCategory[] =>
  categories.map(({ name, questions }) => ({
    name,
    questions: questions.flatMap((one) => {
      const own = answers[one.question]
      if (!own) return [one]
      const answer = plans && own(plans.filter(({ active }) => active))
      return answer === null ? [] : [{ question: one.question, answer }]
    }),
  }))
