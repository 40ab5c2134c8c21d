import { clsx } from 'clsx'
import { type ReactNode, useId } from 'react'

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
      <header
        className={clsx(
          'flex min-h-9 flex-wrap justify-between gap-x-4 gap-y-2 px-5 pt-4 pb-3 last:pb-4',
          about ? 'items-start' : 'items-center',
        )}
      >
        {/* The basis lets a badge or a button stay beside the title on a phone; wider things go below it. */}
        <div className="min-w-0 flex-1 basis-32">
          <h2 id={titleId} className="text-body font-strong">
            {title}
          </h2>
          {about && <p className="mt-0.5 text-muted">{about}</p>}
        </div>
        {aside}
      </header>
      {children && <div className={clsx('min-w-0 flex-1', flush ? 'pb-1' : 'px-5 pb-5')}>{children}</div>}
      {footer && <footer className="border-t border-line px-5 py-3 text-muted">{footer}</footer>}
    </section>
  )
}
