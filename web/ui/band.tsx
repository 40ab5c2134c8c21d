import { clsx } from 'clsx'
import { type ReactNode, useId } from 'react'
import { ArrowRight } from './icons/public.ts'

interface BandProps {
  /** Where links lead that name it. */
  id?: string
  title: string
  about?: string
  more?: { href: string; label: string }
  tinted?: boolean
  children: ReactNode
}

/** A section of a home page, as wide as the window. */
export function Band({ id, title, about, more, tinted = false, children }: BandProps) {
  const heading = useId()
  return (
    <section
      id={id}
      aria-labelledby={heading}
      className={clsx('scroll-mt-14', tinted && 'border-y border-line bg-surface/60')}
    >
      <div className="mx-auto max-w-6xl px-4 py-8 sm:px-6 sm:py-12">
        <div className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
          <div>
            <h2 id={heading} className="text-title font-strong">
              {title}
            </h2>
            {about && <p className="mt-1 max-w-[70ch] text-pretty text-muted">{about}</p>}
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
