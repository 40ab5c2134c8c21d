import { clsx } from 'clsx'
import type { KeyboardEvent } from 'react'

interface SegmentsProps<T extends string> {
  /** The group's label for screen readers. */
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
  /** `frame`: one bordered control. `wrap`: loose buttons that may take several lines. */
  look: 'frame' | 'wrap'
}

/** A single choice with all options visible. The arrow keys move between them. */
export function Segments<T extends string>({ label, value, options, onChange, look }: SegmentsProps<T>) {
  return (
    <fieldset
      onKeyDown={moveFocus}
      className={clsx(
        'flex min-w-0',
        look === 'frame' ? 'rounded-control border border-line-strong p-0.5' : 'flex-wrap gap-1 max-sm:gap-0.5',
      )}
    >
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={clsx(
            'px-2.5 text-small font-strong transition-colors duration-150 pointer-coarse:min-w-11 pointer-coarse:px-3',
            look === 'frame'
              ? 'h-6.5 rounded-[6px] pointer-coarse:h-10'
              : 'h-7 rounded-control max-sm:px-1.5 pointer-coarse:h-11',
            option.value === value ? 'bg-hover text-ink' : 'text-muted hover:text-ink',
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

function moveFocus({ key, currentTarget, target }: KeyboardEvent<HTMLFieldSetElement>): void {
  const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
  if (step === 0) return
  const buttons = [...currentTarget.querySelectorAll('button')]
  buttons.at((buttons.indexOf(target as HTMLButtonElement) + step) % buttons.length)?.focus()
}
