import { type ReactNode, useId } from 'react'
import { PublicPage } from '../../layout/public-page.tsx'
import { useSettings } from '../../lib/settings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ComparisonTable } from '../../ui/comparison-table.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { comparison, products, readSources } from './comparison-facts.ts'
import { sellText as text } from './text.ts'

/** For operators: bring an API, price it, sell it. */
export function SellPage() {
  return (
    <PublicPage title={text.title} about={text.about} width="wide">
      <Actions />
      <Section title={text.steps.title} about={text.steps.about}>
        <ol className="grid gap-4 lg:grid-cols-2">
          {text.steps.list.map(({ title, about, label, code }, index) => (
            <li key={title} className="flex min-w-0 gap-4 rounded-card border border-line bg-surface p-5">
              <span
                aria-hidden="true"
                className="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft font-strong text-accent figures"
              >
                {index + 1}
              </span>
              <div className="min-w-0 flex-1">
                <h3 className="font-strong">{title}</h3>
                <p className="mt-0.5 mb-4 text-pretty text-muted">{about}</p>
                <Command label={label} code={code} />
              </div>
            </li>
          ))}
        </ol>
      </Section>
      <Section title={text.gets.title}>
        <dl className="grid gap-x-8 gap-y-6 sm:grid-cols-2 lg:grid-cols-3">
          {text.gets.list.map(({ title, about }) => (
            <div key={title}>
              <dt className="font-strong">{title}</dt>
              <dd className="mt-1 text-pretty text-muted">{about}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section title={text.charges.title} about={text.charges.about}>
        <Charges />
      </Section>
      <Section title={text.door.title} about={text.door.about}>
        <Door />
      </Section>
      <Section title={text.comparison.title} about={text.comparison.about}>
        <ComparisonTable
          label={text.comparison.title}
          question={text.comparison.question}
          products={products}
          rows={comparison}
        />
        <Sources />
      </Section>
      <Section title={text.not.title}>
        <ul className="max-w-[80ch] list-disc space-y-2 pl-5 marker:text-muted">
          {text.not.list.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      </Section>
      <Actions />
    </PublicPage>
  )
}

function Section({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="text-title font-strong">
        {title}
      </h2>
      {about && <p className="mt-1 max-w-[70ch] text-pretty text-muted">{about}</p>}
      <div className="mt-4">{children}</div>
    </section>
  )
}

function Actions() {
  const { links } = useSettings()
  return (
    <div className="flex flex-wrap gap-2">
      {links.source && (
        <ExternalLink href={links.source} className={buttonClass({ look: 'primary' })}>
          {text.source}
        </ExternalLink>
      )}
      <a href="/docs/self-hosting" className={buttonClass()}>
        {text.guide}
      </a>
    </div>
  )
}

function Command({ label, code }: { label: string; code: string }) {
  return (
    <CodeBlock
      label={label}
      code={code}
      action={<CopyTextButton look="quiet" size="small" value={code} label={text.copy} done={text.copied} />}
    />
  )
}

function Charges() {
  const { list, outcome, cost, title, prices } = text.charges
  return (
    <>
      <div className="rounded-card border border-line bg-surface">
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
