import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { PublicLayout } from '../../layout/public-layout.tsx'
import { useSettings } from '../../lib/settings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { SignInButtons } from '../auth/sign-in-buttons.tsx'
import { LiveCall } from './live-call.tsx'
import { homeText as text } from './text.ts'

/** What a shop sells without the demonstration's data: read from its description. */
const SoldCalls = lazy(() => import('./sold-calls.tsx'))

/** Below the first screen, and rendered by the server: its script comes after that of the first screen. */
const HomeDetails = lazy(() => import('./home-details.tsx'))

/** The home page of a shop: a call to make, how it is charged, the data, the clients and the prices. */
export default function HomePage({ header }: { header?: ReactNode }) {
  const { shop } = useSettings()
  const title = shop.named ? (shop.promise ?? shop.name) : text.title
  const heading = usePageHeading(shop.named ? title : text.pageTitle)
  return (
    <PublicLayout header={header}>
      <section className="mx-auto w-full max-w-6xl px-4 py-10 sm:px-6 sm:py-12">
        <h1 ref={heading} tabIndex={-1} className="text-display font-strong text-balance">
          {title}
        </h1>
        <div className="mt-5 mb-8 flex flex-wrap items-end justify-between gap-x-12 gap-y-6">
          <div className="min-w-0">
            {!shop.named && <p className="mb-4 max-w-[52ch] text-prose text-pretty text-muted">{text.about}</p>}
            <ul className="list-disc space-y-1.5 pl-5 marker:text-accent">
              {text.points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          </div>
          <SignInButtons layout="row" first="github" />
        </div>
        {shop.demo ? (
          <LiveCall />
        ) : (
          <Suspense>
            <SoldCalls />
          </Suspense>
        )}
      </section>
      <Suspense>
        <HomeDetails />
      </Suspense>
      <section className="mx-auto flex w-full max-w-6xl flex-wrap items-center justify-between gap-6 px-4 py-14 sm:px-6">
        <div>
          <h2 className="text-title font-strong">{text.last}</h2>
          <p className="mt-1 text-muted">{text.lastAbout}</p>
        </div>
        <Link to="/login" className={buttonClass({ look: 'primary', size: 'large' })}>
          {text.lastAction}
        </Link>
      </section>
    </PublicLayout>
  )
}
