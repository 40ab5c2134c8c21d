import { Link } from '@tanstack/react-router'
import { Accordion } from '../../ui/accordion.tsx'
import { pricingText as text } from './text.ts'

export default function PricingQuestions({ questions }: { questions: readonly { title: string; content: string }[] }) {
  return (
    <section aria-labelledby="pricing-faq">
      <h2 id="pricing-faq" className="mb-3 text-title font-strong">
        {text.faqTitle}
      </h2>
      <Accordion name="pricing" items={questions.map(({ title, content }) => ({ title, content: <p>{content}</p> }))} />
      <p className="mt-3">
        <Link to="/docs/faq" className="text-accent underline-offset-4 hover:underline">
          {text.moreQuestions}
        </Link>
      </p>
    </section>
  )
}
