import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PublicPage } from '../../layout/public-page.tsx'
import { copyable } from '../../lib/clipboard.ts'
import { useSettings } from '../../lib/settings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { usePublicPlans } from '../plans/use-public-plans.ts'
import { planFacts } from '../pricing/plan-facts.ts'
import { firstCall, shownLanguages } from '../snippets/code.ts'
import { languageName, languagePlace } from '../snippets/languages.ts'
import { useLanguage } from '../snippets/use-language.ts'
import { startText as text } from './text.ts'

/** The four steps to a first request. */
export function GettingStartedPage() {
  const { plans } = usePublicPlans()
  const facts = planFacts(plans)
  const { account, plan, key, request } = text.steps
  return (
    <PublicPage title={text.title} about={text.about} width="narrow">
      <ol className="space-y-4">
        <Step number={1} title={account.title} about={account.about}>
          <Link to="/login" className={buttonClass({ look: 'primary' })}>
            {account.action}
          </Link>
        </Step>
        <Step number={2} title={plan.title} about={plan.about}>
          <ul className="mb-4 list-disc space-y-1 pl-5">
            <li>{plan.free(facts)}</li>
            <li>{plan.pro(facts)}</li>
          </ul>
          <Link to="/docs/pricing" className={buttonClass()}>
            {plan.action}
          </Link>
        </Step>
        <Step number={3} title={key.title} about={key.about}>
          <Link to="/dashboard/api-keys" className={buttonClass()}>
            {key.action}
          </Link>
        </Step>
        <Step number={4} title={request.title} about={request.about}>
          <FirstRequest />
        </Step>
      </ol>
      <section aria-labelledby="next">
        <h2 id="next" className="text-prose font-strong">
          {text.next}
        </h2>
        <div className="mt-3 flex flex-wrap gap-2">
          <a href="/docs" className={buttonClass()}>
            {text.docs}
          </a>
          <Link to="/docs/faq" className={buttonClass()}>
            {text.faq}
          </Link>
        </div>
      </section>
    </PublicPage>
  )
}

interface StepProps {
  number: number
  title: string
  about: string
  children: ReactNode
}

function Step({ number, title, about, children }: StepProps) {
  return (
    <li className="flex gap-4 rounded-card border border-line bg-surface p-5">
      <span
        aria-hidden="true"
        className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft font-strong text-accent figures"
      >
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <h2 className="text-prose font-strong">{title}</h2>
        <p className="mt-0.5 mb-4 text-pretty text-muted">{about}</p>
        {children}
      </div>
    </li>
  )
}

const optionsOf = () => shownLanguages().map((value) => ({ value, label: languageName[value] }))

function FirstRequest() {
  const { publicUrl } = useSettings()
  const [language, choose] = useLanguage()
  const { copy, copied } = text.steps.request
  const code = firstCall(language, publicUrl, 'YOUR_API_KEY')
  return (
    <div className="space-y-3">
      <div className="flex">
        <Segments label="Language" look="frame" value={language} options={optionsOf()} onChange={choose} />
      </div>
      <CodeBlock
        label={languagePlace[language]}
        code={code}
        action={<CopyTextButton look="quiet" size="small" value={copyable(code)} label={copy} done={copied} />}
      />
    </div>
  )
}
