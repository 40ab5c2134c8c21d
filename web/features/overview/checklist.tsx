import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { type ReactNode, useState } from 'react'
import { useCode } from '../../lib/use-code.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Check } from '../../ui/icons/public.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { nextStep, type Progress, steps } from './progress.ts'
import { checklistText as text } from './text.ts'
import { TrialBanner } from './trial-banner.tsx'

const loadFirstCall = () => import('./first-call.tsx')

interface ChecklistProps {
  progress: Progress
  /** Undefined if the free plan was never offered on this page. */
  isTrialOffered: boolean | undefined
  isPaymentDue: boolean
  /** Shown until the code for the first call has come. */
  waiting: ReactNode
}

/** The steps from a new account to a connected client, with one action at a time. */
export default function Checklist({ progress, isTrialOffered, isPaymentDue, waiting }: ChecklistProps) {
  const next = nextStep(progress)
  // The call and its response stay when it is made, and their step with them.
  const [calling, setCalling] = useState(next === 'call')
  if (next === 'call' && !calling) setCalling(true)
  const shown = calling && progress.call ? 'call' : next
  const done = steps.filter((step) => progress[step]).length
  const FirstCall = useCode(loadFirstCall, shown === 'call')
  if (shown === 'call' && !FirstCall) return waiting
  return (
    <Card title={text.title} aside={<span className="text-muted figures">{text.done(done, steps.length)}</span>}>
      <div className="grid gap-x-8 gap-y-4 lg:grid-cols-[13rem_minmax(0,1fr)]">
        <ol className="space-y-1">
          {steps.map((step, index) => (
            <li
              key={step}
              aria-current={step === shown ? 'step' : undefined}
              className={clsx('flex min-h-9 items-center gap-2.5', step === shown ? 'font-strong' : 'text-muted')}
            >
              <Mark number={index + 1} done={progress[step]} current={step === shown} />
              {text.steps[step]}
              {progress[step] && <span className="sr-only">({text.isDone})</span>}
            </li>
          ))}
        </ol>
        <div className="min-w-0 space-y-4 lg:min-h-39">
          {isTrialOffered !== undefined && <TrialBanner shown={isTrialOffered} />}
          {next === 'plan' && !isTrialOffered && <PlanStep isPaymentDue={isPaymentDue} />}
          {next === 'key' && <KeyStep />}
          {shown === 'call' && FirstCall && (
            <FirstCall
              look={progress.call ? 'secondary' : 'primary'}
              {...(next === 'client' && { next: <ChooseClient /> })}
            />
          )}
          {shown === 'client' && (
            <Ask about={text.clientAbout}>
              <ChooseClient />
            </Ask>
          )}
          {next === null && <p className="text-muted">{text.allDone}</p>}
        </div>
      </div>
    </Card>
  )
}

const ChooseClient = () => (
  <Link to="." search={true} hash="clients" className={buttonClass({ look: 'primary' })}>
    {text.chooseClient}
  </Link>
)

const Mark = ({ number, done, current }: { number: number; done: boolean; current: boolean }) => (
  <span
    aria-hidden="true"
    className={clsx(
      'grid size-6 shrink-0 place-items-center rounded-full border text-small font-strong figures',
      done
        ? 'border-success-line bg-success-soft text-success'
        : current
          ? 'border-accent-line bg-accent-soft text-accent'
          : 'border-line-strong text-muted',
    )}
  >
    {done ? <Check className="size-3.5" /> : number}
  </span>
)

const Ask = ({ about, children }: { about: string; children?: ReactNode }) => (
  <div>
    <p className="max-w-[60ch] text-pretty">{about}</p>
    {children && <div className="mt-3">{children}</div>}
  </div>
)

function PlanStep({ isPaymentDue }: { isPaymentDue: boolean }) {
  if (!useMayManage()) return <Ask about={isPaymentDue ? text.paymentDueMember : text.planMember} />
  return (
    <Ask about={isPaymentDue ? text.paymentDue : text.planAbout}>
      <Link to="/dashboard/billing" className={buttonClass({ look: 'primary' })}>
        {isPaymentDue ? text.toBilling : text.choosePlan}
      </Link>
    </Ask>
  )
}

function KeyStep() {
  if (!useMayManage()) return <Ask about={text.keyMember} />
  return (
    <Ask about={text.keyAbout}>
      <Link to="/dashboard/api-keys/new" className={buttonClass({ look: 'primary' })}>
        {text.createKey}
      </Link>
    </Ask>
  )
}
