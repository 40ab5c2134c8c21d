import { cva, type VariantProps } from 'class-variance-authority'
import type { ReactNode } from 'react'

const badgeClass = cva(
  'inline-flex h-5 shrink-0 items-center gap-1 rounded-full border px-2 text-small font-strong whitespace-nowrap',
  {
    variants: {
      tone: {
        neutral: 'border-line bg-sunken text-muted',
        accent: 'border-accent-line bg-accent-soft text-accent',
        success: 'border-success-line bg-success-soft text-success',
        warning: 'border-warning-line bg-warning-soft text-warning',
        danger: 'border-danger-line bg-danger-soft text-danger',
      },
    },
    defaultVariants: { tone: 'neutral' },
  },
)

/** A status word. The color repeats what the word says. */
export function Badge({ tone, children }: VariantProps<typeof badgeClass> & { children: ReactNode }) {
  return <span className={badgeClass({ tone })}>{children}</span>
}
