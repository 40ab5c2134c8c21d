import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSession } from '../../lib/auth/session.ts'
import { useSettings } from '../../lib/settings.ts'
import { Band } from '../../ui/band.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { SignInButtons } from '../auth/sign-in-buttons.tsx'
import { LiveCall } from '../home/live-call.tsx'
import { OverviewPicture } from '../home/overview-picture.tsx'
import { priceText } from '../plans/plan-price.ts'
import { planTerms } from '../plans/plan-terms.ts'
import { usePublicPlans } from '../plans/use-public-plans.ts'
import { Command } from './command.tsx'
import { readSources } from './comparison-facts.ts'
import { ComparisonTable } from './comparison-table.tsx'
import { Speeds } from './speeds.tsx'
import { sellText as text } from './text.ts'

/** A call on this server, what is charged, what customers get, more ways to sell, alternatives, and what it costs. */
export default function SellDetails() {
  return (
    <>
      <FirstCustomer />
      <Pair>
        <Band title={text.charges.title}>
          <Charges />
        </Band>
        <Band title={text.gets.title}>
          <OverviewPicture half />
        </Band>
        <dl className="col-span-full grid grid-cols-2 gap-x-8 gap-y-4 px-4 pb-12 max-sm:pb-8 max-lg:pt-5 sm:px-6 lg:-mt-6 lg:grid-cols-4">
          {text.gets.list.map(({ title, about }) => (
            <div key={title}>
              <dt className="font-strong">{title}</dt>
              <dd className="mt-1 text-pretty text-muted">{about}</dd>
            </div>
          ))}
        </dl>
      </Pair>
      <Band title={text.ways.title} about={text.ways.about} tinted>
        <ul className="grid gap-x-8 gap-y-6 lg:grid-cols-3">
          {text.ways.list.map(({ title, about, code }) => (
            <li key={code} className="flex min-w-0 flex-col gap-3 [&>figure]:grow">
              <div>
                <h3 className="font-strong">{title}</h3>
                <p className="mt-1 text-pretty text-muted">{about}</p>
              </div>
              <Command label={text.terminal} code={code} />
            </li>
          ))}
        </ul>
      </Band>
      <Band id="comparison" title={text.comparison.title} about={text.comparison.about}>
        <ComparisonTable />
        <Sources />
        <Speeds />
      </Band>
      <div className="border-t border-line bg-surface/60">
        <Pair>
          <Band title={text.not.title}>
            <ul className="list-disc space-y-2 pl-5 marker:text-muted">
              {text.not.list.map((item) => (
                <li key={item}>{item}</li>
              ))}
            </ul>
          </Band>
          <Band title={text.cost.title} more={{ href: '/docs/self-hosting', label: text.guide }}>
            <div className="mb-5 flex items-center gap-x-5">
              <p className="text-display font-strong figures">{text.cost.own}</p>
              <p className="text-pretty text-muted">{text.cost.about}</p>
            </div>
            <div className="max-sm:hidden">
              <Command label={text.terminal} code={text.start.code} first />
            </div>
          </Band>
        </Pair>
      </div>
    </>
  )
}

/** Two sections beside each other; on a narrow window, one close below the other. */
const Pair = ({ children }: { children: ReactNode }) => (
  <div className="mx-auto grid max-w-6xl gap-x-8 max-lg:-space-y-7 lg:grid-cols-2">{children}</div>
)

function FirstCustomer() {
  const { shop } = useSettings()
  const { user } = useSession()
  return (
    <Band title={text.customer.title} tinted>
      <div className="grid gap-6 lg:grid-cols-[1fr_2fr] lg:gap-8">
        <div className="flex flex-col gap-5">
          <p className="text-pretty text-muted">{text.customer.about}</p>
          <Plans />
          {user ? (
            <Link to="/dashboard" className={buttonClass({ look: 'primary' })}>
              {text.customer.dashboard}
            </Link>
          ) : (
            <SignInButtons layout="column" first="github" />
          )}
        </div>
        {shop.demo && <LiveCall chosen />}
      </div>
    </Band>
  )
}

/** What the demonstration costs its customers. */
function Plans() {
  const { plans, error, retry } = usePublicPlans()
  if (error) return <ErrorState title={text.customer.failed} error={error} onRetry={retry} />
  return (
    <div>
      <p className="mb-2 font-strong">{text.customer.plansShown}</p>
      <ul aria-label={text.customer.plans} className="min-h-36 divide-y divide-line border-y border-line">
        {plans
          ?.filter(({ active }) => active)
          .map((plan) => (
            <li key={plan.id} className="flex flex-wrap justify-between gap-x-4 py-2">
              <span className="text-muted">{plan.name} </span>
              <span className="text-right">
                <span className="font-strong figures">{Object.values(priceText(plan)).join(' ')} </span>
                <span className="block text-small text-muted">{planTerms(plan)}</span>
              </span>
            </li>
          ))}
      </ul>
    </div>
  )
}

function Charges() {
  const { list, outcome, cost, title, prices } = text.charges
  return (
    <>
      <div className="overflow-hidden rounded-card border border-line bg-surface [&_thead_tr]:border-t-0">
        <Table
          label={title}
          head={
            <>
              <HeadCell>{outcome}</HeadCell>
              <HeadCell>{cost}</HeadCell>
            </>
          }
        >
          {list.map((row) => (
            <tr key={row.outcome}>
              <Cell className="font-strong">{row.outcome}</Cell>
              <Cell className={row.free ? 'text-success' : undefined}>{row.cost}</Cell>
            </tr>
          ))}
        </Table>
      </div>
      <p className="mt-4 text-pretty text-muted">{prices}</p>
    </>
  )
}

function Sources() {
  const last = readSources.sources.length - 1
  return (
    <p className="mt-3 text-small text-pretty text-muted">
      {readSources.before}{' '}
      {readSources.sources.map(({ name, href }, index) => (
        <span key={href}>
          <ExternalLink href={href} className="underline decoration-line underline-offset-4 hover:text-ink">
            {name}
          </ExternalLink>
          {index < last ? ', ' : '. '}
        </span>
      ))}
      {readSources.after}
    </p>
  )
}
