import { lazy, type ReactNode, Suspense } from 'react'
import { PublicLayout } from '../../layout/public-layout.tsx'
import { useRepository, useSettings } from '../../lib/settings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { usePageHeading } from '../../ui/page-header.tsx'
import { Command } from './command.tsx'
import { sellText as text } from './text.ts'

/** Acts on files and presses, and the server draws it: its script comes after that of the page, too. */
const Example = lazy(() => import('./example.tsx'))
/** Below the first screen, and rendered by the server: its script comes after that of the first screen. */
const SellDetails = lazy(() => import('./sell-details.tsx'))

/** For those who may install this software: what it is, how it starts, and an example that a file of theirs can replace. */
export default function SellPage({ header }: { header?: ReactNode }) {
  const heading = usePageHeading(text.pageTitle)
  const { links } = useSettings()
  const repository = useRepository()
  const linkClass = 'inline-flex min-h-6 items-center text-accent underline-offset-4 hover:underline'
  return (
    <PublicLayout header={header}>
      <section className="mx-auto w-full max-w-6xl px-4 pt-8 pb-9 sm:px-6 sm:pt-10 sm:pb-12">
        <h1 ref={heading} tabIndex={-1} className="text-display font-strong">
          {text.title.map((sentence, index) => (
            <span key={sentence} className="block">
              {index > 0 && ' '}
              {sentence}
            </span>
          ))}
        </h1>
        <div className="mt-5 mb-8 grid gap-x-8 gap-y-5 lg:grid-cols-[1fr_1.1fr] lg:grid-rows-[auto_1fr]">
          <p className="max-w-[56ch] text-prose text-pretty text-muted">{text.about}</p>
          <div className="min-w-0 lg:col-start-2 lg:row-span-2 lg:row-start-1">
            <Command label={text.start.label} code={text.start.code} first />
            <p className="mt-2 text-small text-pretty text-muted">{text.start.about}</p>
          </div>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <a href="/demo" className={buttonClass({ look: 'primary', className: 'max-sm:w-full' })}>
              {text.demo}
            </a>
            {repository && (
              <ExternalLink href={repository} className={linkClass}>
                {text.repository}
              </ExternalLink>
            )}
            <a href="#comparison" className={linkClass}>
              {text.compare}
            </a>
            <a href={links.docs} className={linkClass}>
              {text.documentation}
            </a>
          </div>
        </div>
        <Suspense>
          <Example />
        </Suspense>
      </section>
      <Suspense>
        <SellDetails />
      </Suspense>
    </PublicLayout>
  )
}
