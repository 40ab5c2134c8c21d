import { Link } from '@tanstack/react-router'
import { useSession } from '../../lib/auth/session.ts'
import { useSettings } from '../../lib/settings.ts'
import { Band } from '../../ui/band.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { SignInButtons } from '../auth/sign-in-buttons.tsx'
import { LiveCall } from '../home/live-call.tsx'
import { priceText } from '../plans/plan-price.ts'
import { planTerms } from '../plans/plan-terms.ts'
import { usePublicPlans } from '../plans/use-public-plans.ts'
import { Command } from './command.tsx'
import { readSources } from './comparison-facts.ts'
import { ComparisonTable } from './comparison-table.tsx'
import { sellText as text } from './text.ts'

/** A call on this server, what is charged, what customers get, the ways to bring an API, what it costs, and alternatives. */
export default function SellDetails() {
  return (
    <>
      <FirstCustomer />
      <Band title={text.charges.title} about={text.charges.about}>
        <Charges />
      </Band>
      <Band title={text.gets.title} tinted>
        <dl className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
          {text.gets.list.map(({ title, about }) => (
            <div key={title}>
              <dt className="font-strong">{title}</dt>
              <dd className="mt-1 text-pretty text-muted">{about}</dd>
            </div>
          ))}
        </dl>
      </Band>
      <Band title={text.ways.title} about={text.ways.about}>
        <ul className="grid gap-6 lg:grid-cols-3">
          {text.ways.list.map(({ title, about, code }) => (
            <li key={title} className="min-w-0">
              <h3 className="font-strong">{title}</h3>
              <p className="mt-0.5 mb-3 text-pretty text-muted lg:min-h-10">{about}</p>
              <Command label={text.terminal} code={code} />
            </li>
          ))}
        </ul>
      </Band>
      <Band title={text.door.title} about={text.door.about} tinted>
        <Door />
      </Band>
      <Band id="comparison" title={text.comparison.title} about={text.comparison.about}>
        <ComparisonTable />
        <Sources />
        <p className="mt-6 max-w-[80ch] text-pretty">
          {text.comparison.speed}{' '}
          <code className="rounded-[6px] bg-sunken px-1.5 py-0.5 font-mono text-small">npm run bench</code>
        </p>
      </Band>
      <div className="border-t border-line bg-surface/60">
        <div className="mx-auto grid max-w-6xl gap-x-8 max-lg:-space-y-10 lg:grid-cols-[2fr_3fr]">
          <Band title={text.not.title}>
            <ul className="list-disc space-y-2 pl-5 marker:text-muted">
              {text.not.list.map((item) => (
                <li key={item}>{item}</li>
              ))}
            </ul>
          </Band>
          <Band title={text.cost.title} more={{ href: '/docs/self-hosting', label: text.guide }}>
            <p className="text-display font-strong figures">{text.cost.own}</p>
            <p className="mt-2 mb-5 text-pretty text-muted">{text.cost.about}</p>
            <Command label={text.terminal} code={text.start.code} first />
          </Band>
        </div>
      </div>
    </>
  )
}

function FirstCustomer() {
  const { shop } = useSettings()
  const { user } = useSession()
  return (
    <Band
      title={text.customer.title}
      about={text.customer.about}
      more={{ href: '/docs/pricing', label: text.customer.pricing }}
      tinted
    >
      <div className="mb-6 flex flex-wrap items-end justify-between gap-x-12 gap-y-5">
        <Plans />
        {user ? (
          <Link to="/dashboard" className={buttonClass({ look: 'primary' })}>
            {text.customer.dashboard}
          </Link>
        ) : (
          <SignInButtons layout="row" first="github" />
        )}
      </div>
      {shop.demo && <LiveCall />}
    </Band>
  )
}

/** What the demonstration costs its customers. */
function Plans() {
  const { plans, error, retry } = usePublicPlans()
  if (error) return <ErrorState title={text.customer.failed} error={error} onRetry={retry} />
  return (
    <ul aria-label={text.customer.plans} className="flex min-h-15 flex-wrap gap-x-8 gap-y-3">
      {plans
        ?.filter(({ active }) => active)
        .map((plan) => (
          <li key={plan.id}>
            <span className="block text-small text-muted">{plan.name} </span>
            <span className="font-strong">{Object.values(priceText(plan)).join(' ')} </span>
            <span className="block text-small text-muted">{planTerms(plan)}</span>
          </li>
        ))}
    </ul>
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
      <p className="mt-4 max-w-[80ch] text-pretty">{prices}</p>
    </>
  )
}

function Door() {
  const { steps, label, command, routes } = text.door
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="min-w-0 space-y-4">
        <ol className="list-decimal space-y-2 pl-5 marker:text-muted">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <Command label={label} code={command} />
      </div>
      <dl className="min-w-0 space-y-3">
        {routes.map(({ route, about }) => (
          <div key={route}>
            <dt className="font-mono text-small">{route}</dt>
            <dd className="text-pretty text-muted">{about}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function Sources() {
  const last = readSources.sources.length - 1
  return (
    <p className="mt-3 text-small text-pretty text-muted">
      {readSources.before}{' '}
      {readSources.sources.map(({ name, href }, index) => (
        <span key={href}>
          <ExternalLink href={href} className="text-accent underline underline-offset-4">
            {name}
          </ExternalLink>
          {index < last ? ', ' : '. '}
        </span>
      ))}
      {readSources.after}
    </p>
  )
}
