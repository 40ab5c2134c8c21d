import type { ReactNode } from 'react'
import { useSettings } from '../../lib/settings.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { ArrowRight } from '../../ui/icons/public.ts'
import { ChargeSteps } from './charge-steps.tsx'
import { Clients } from './clients.tsx'
import { Comparison } from './comparison.tsx'
import { Coverage } from './coverage.tsx'
import { detailsText as text } from './details-text.ts'
import { OverviewPicture } from './overview-picture.tsx'
import { PlanPrices } from './plan-prices.tsx'

/** How calls are charged, a picture of Overview, the data, the AI clients, the prices, selling an API and the comparison. */
export default function HomeDetails() {
  const { shop } = useSettings()
  return (
    <>
      <Band title={text.charged} about={text.chargedAbout} tinted>
        <ChargeSteps />
      </Band>
      <Band title={text.overview} about={text.overviewAbout}>
        <OverviewPicture />
      </Band>
      {shop.demo && (
        <Band title={text.coverage} about={text.coverageAbout} tinted>
          <Coverage />
        </Band>
      )}
      <Band
        title={text.clients}
        about={text.clientsAbout}
        more={{ href: '/docs/mcp-clients', label: text.clientsLink }}
      >
        <Clients />
      </Band>
      <Band title={text.costs} about={text.costsAbout} more={{ href: '/docs/pricing', label: text.pricing }} tinted>
        <PlanPrices />
      </Band>
      {!shop.named && <Software />}
    </>
  )
}

/** For visitors who may run this software themselves. */
function Software() {
  return (
    <>
      <Band title={text.sell} about={text.sellAbout} more={{ href: '/sell', label: text.sellLink }}>
        <CodeBlock label={text.sellLabel} code={text.sellCommand} />
      </Band>
      <Band title={text.comparison} about={text.comparisonAbout} tinted>
        <Comparison />
      </Band>
    </>
  )
}

interface BandProps {
  title: string
  about: string
  more?: { href: string; label: string }
  tinted?: boolean
  children: ReactNode
}

function Band({ title, about, more, tinted = false, children }: BandProps) {
  return (
    <section className={tinted ? 'border-y border-line bg-surface/60' : undefined}>
      <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6">
        <div className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
          <div>
            <h2 className="text-title font-strong">{title}</h2>
            <p className="mt-1 max-w-[70ch] text-pretty text-muted">{about}</p>
          </div>
          {more && (
            <a
              href={more.href}
              className="inline-flex min-h-6 items-center gap-1.5 text-accent underline-offset-4 hover:underline"
            >
              {more.label}
              <ArrowRight aria-hidden="true" className="size-4" />
            </a>
          )}
        </div>
        {children}
      </div>
    </section>
  )
}
