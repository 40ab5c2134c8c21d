import { clsx } from 'clsx'
import type { ReactNode } from 'react'

interface CodeBlockProps {
  /** The block's name, shown above it and for screen readers. */
  label: string
  code: ReactNode
  /** Right of the label: usually a copy button. */
  action?: ReactNode
  wrap?: boolean
  /** The background it is on. */
  ground?: 'sunken' | 'surface'
  className?: string
}

/** Code with a name and one action above it. Long lines scroll, or wrap if the whole line must be visible. */
export function CodeBlock({ label, code, action, wrap = false, ground = 'sunken', className }: CodeBlockProps) {
  return (
    <figure
      className={clsx(
        'overflow-hidden rounded-control border border-line',
        ground === 'sunken' ? 'bg-sunken [--scroll-ground:var(--color-sunken)]' : 'bg-surface',
        className,
      )}
    >
      <figcaption className="flex min-h-9 items-center justify-between gap-2 border-b border-line py-0.5 pr-1 pl-3 text-small text-muted">
        {label}
        {action}
      </figcaption>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className={clsx(
          'overflow-x-auto p-3 font-mono text-small leading-5 -outline-offset-2',
          wrap ? 'wrap-anywhere whitespace-pre-wrap' : 'scroll-hint',
        )}
      >
        <code>{code}</code>
      </pre>
    </figure>
  )
}
