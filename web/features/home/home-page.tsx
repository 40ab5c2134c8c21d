import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { PublicLayout } from '../../layout/public-layout.tsx'
import { SiteHeader } from '../../layout/site-header.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { SignInButtons } from '../auth/sign-in-buttons.tsx'
import { FirstCall } from './first-call.tsx'
import { PlanPrices } from './plan-prices.tsx'
import { homeText as text } from './text.ts'

/** The home page for visitors: product, first call, prices and sign-in. */
export default function HomePage() {
  const heading = usePageHeading(text.pageTitle)
  return (
    <PublicLayout header={<SiteHeader />}>
      <section className="mx-auto grid w-full max-w-6xl items-center gap-x-12 gap-y-10 px-4 py-14 sm:px-6 sm:py-20 lg:grid-cols-[1fr_1.05fr]">
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} className="text-display font-strong text-balance">
            {text.title}
          </h1>
          <p className="mt-5 max-w-[46ch] text-prose text-pretty text-muted">{text.about}</p>
          <div className="mt-8">
            <SignInButtons layout="row" first="github" />
          </div>
        </div>
        <div className="min-w-0">
          <FirstCall />
        </div>
      </section>
      <section aria-labelledby="costs" className="border-y border-line bg-surface/60">
        <div className="mx-auto max-w-6xl px-4 py-12 sm:px-6">
          <div className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
            <div>
              <h2 id="costs" className="text-title font-strong">
                {text.costs}
              </h2>
              <p className="mt-1 text-muted">{text.costsAbout}</p>
            </div>
            <Link
              to="/docs/pricing"
              className="inline-flex min-h-6 items-center gap-1.5 text-accent underline-offset-4 hover:underline"
            >
              {text.pricing}
              <ArrowRight aria-hidden="true" className="size-4" />
            </Link>
          </div>
          <PlanPrices />
        </div>
      </section>
      <section
        aria-label="How it works"
        className="mx-auto grid w-full max-w-6xl gap-x-12 gap-y-8 px-4 py-12 sm:px-6 md:grid-cols-3"
      >
        {text.facts.map(({ title, about }) => (
          <div key={title}>
            <h2 className="text-prose font-strong">{title}</h2>
            <p className="mt-1 text-pretty text-muted">{about}</p>
          </div>
        ))}
      </section>
    </PublicLayout>
  )
}
