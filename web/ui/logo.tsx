import { clsx } from 'clsx'

/** The mark: an F made of meter bars, one of them in the accent color. */
export function Logo({
  className,
  tight = false,
}: {
  className?: string /** The mark alone on narrow screens. */
  tight?: boolean
}) {
  return (
    <span className={clsx('inline-flex items-center gap-2 text-prose font-strong tracking-tight', className)}>
      <svg viewBox="0 0 24 24" aria-hidden="true" className="size-5">
        <path d="M3 3h4v18H3zM10 3h11v4H10z" fill="currentColor" />
        <path d="M10 10h7v4h-7z" className="fill-accent" />
      </svg>
      <span className={clsx(tight && 'max-[26rem]:sr-only')}>Finmeter</span>
    </span>
  )
}
