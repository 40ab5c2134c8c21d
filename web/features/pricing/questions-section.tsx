import { Link } from '@tanstack/react-router'
import { useSettings } from '../../lib/settings.ts'
import { Accordion } from '../../ui/accordion.tsx'
import type { ShownPlan } from './fallback-plans.ts'
import { pricingQuestions } from './pricing-questions.ts'
import { questionsText as text } from './questions-text.ts'

export default function QuestionsSection({ plans }: { plans: readonly ShownPlan[] }) {
  const questions = pricingQuestions(plans, useSettings())
  return (
    <section aria-labelledby="pricing-faq">
      <h2 id="pricing-faq" className="mb-3 text-title font-strong">
        {text.title}
      </h2>
      <Accordion name="pricing" items={questions.map(({ title, content }) => ({ title, content: <p>{content}</p> }))} />
      <p className="mt-3">
        <Link to="/docs/faq" className="text-accent underline-offset-4 hover:underline">
          {text.more}
        </Link>
      </p>
    </section>
  )
}
