import { cva, type VariantProps } from 'class-variance-authority'
import type { ButtonHTMLAttributes, Ref } from 'react'
import { Spinner } from './spinner.tsx'

/** Button classes, also for links styled as buttons. */
export const buttonClass = cva(
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-control border text-body font-strong whitespace-nowrap transition-colors duration-150 select-none disabled:opacity-55 aria-disabled:cursor-default aria-disabled:opacity-55',
  {
    variants: {
      look: {
        primary:
          'border-transparent bg-ink text-surface not-disabled:hover:bg-ink/85 disabled:border-line-strong disabled:bg-hover disabled:text-ink',
        secondary: 'border-line-strong bg-surface text-ink not-disabled:hover:bg-hover',
        quiet: 'border-transparent text-muted not-disabled:hover:bg-hover not-disabled:hover:text-ink',
        danger: 'border-danger-line bg-danger-soft text-danger not-disabled:hover:border-danger',
      },
      size: {
        small: 'h-8 px-2.5 pointer-coarse:h-11',
        medium: 'h-9 px-3.5 pointer-coarse:h-11',
        large: 'h-11 px-5',
        icon: 'size-8 pointer-coarse:size-11',
      },
      wide: { true: 'w-full' },
    },
    defaultVariants: { look: 'secondary', size: 'medium' },
  },
)

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, VariantProps<typeof buttonClass> {
  ref?: Ref<HTMLButtonElement>
  /** Shows a spinner and ignores clicks but keeps the focus, which a disabled button would lose. */
  busy?: boolean
}

export function Button({
  look,
  size,
  wide,
  busy,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={buttonClass({ look, size, wide, className })}
    >
      {busy && <Spinner />}
      {children}
    </button>
  )
}
