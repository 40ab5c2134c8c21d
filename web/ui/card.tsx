import { clsx } from 'clsx'
import { type ReactNode, useId } from 'react'
import { Skeleton } from './skeleton.tsx'

interface CardProps {
  title: ReactNode
  /** One sentence below the title. */
  about?: ReactNode
  /** Right of the title: a badge, a selector or the card's one action. */
  aside?: ReactNode
  footer?: ReactNode
  tone?: 'plain' | 'success'
  /** Tables reach the card's edges. */
  flush?: boolean
  className?: string
  children?: ReactNode
}

/** The place of a card with a sentence and an action: three lines on a phone, else one. */
export const CardPlace = () => <div className="min-h-31 rounded-card border border-line bg-surface sm:min-h-19" />

/** The place of a card with a chart. */
export const ChartCardPlace = () => (
  <div className="flex min-h-92 flex-col gap-6 rounded-card border border-line bg-surface p-5 sm:min-h-84">
    <Skeleton className="h-5 w-40" />
    <Skeleton className="flex-1" />
  </div>
)

/** A region with a title row, content and an optional footer row. */
export function Card({ title, about, aside, footer, tone = 'plain', flush = false, className, children }: CardProps) {
  const titleId = useId()
  return (
    <section
      aria-labelledby={titleId}
      className={clsx(
        'flex min-w-0 flex-col rounded-card border',
        tone === 'success' ? 'tone-success border-success-line bg-success-soft' : 'border-line bg-surface',
        className,
      )}
    >
      {/* On a phone the sentence goes below title and aside, a wide aside below the title, and several buttons below both. */}
      <header className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 pt-4 pb-3 last:pb-4 sm:grid sm:grid-cols-[minmax(0,1fr)_auto] sm:gap-y-0.5">
        <h2 id={titleId} className="min-w-0 flex-1 basis-28 text-prose leading-6 font-strong">
          {title}
        </h2>
        {about && (
          <p className="min-w-0 text-pretty text-muted max-sm:order-1 max-sm:-mt-1.5 max-sm:basis-full sm:row-start-2">
            {about}
          </p>
        )}
        {aside && (
          <div
            className={clsx(
              'flex justify-self-end max-sm:has-[button+button]:order-2 sm:col-start-2 sm:row-start-1',
              about && (children ? 'sm:row-span-2 sm:self-start' : 'sm:row-span-2 sm:self-center'),
            )}
          >
            {aside}
          </div>
        )}
      </header>
      {children && <div className={clsx('min-w-0 flex-1', flush ? 'pb-1' : 'px-5 pb-5')}>{children}</div>}
      {footer && <footer className="border-t border-line px-5 py-3 text-muted">{footer}</footer>}
    </section>
  )
}
