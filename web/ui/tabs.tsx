import { clsx } from 'clsx'
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react'

interface TabsProps<T extends string> {
  /** The list's label for screen readers. */
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
  /** The chosen tab's panel. */
  children: ReactNode
}

/** Tabs and the panel of the chosen one. Arrow keys, Home and End choose; Tab leaves the list for the panel. */
export function Tabs<T extends string>({ label, value, options, onChange, children }: TabsProps<T>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const at = options.findIndex((option) => option.value === value)
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key]
    const option = next === undefined ? undefined : options.at(next % options.length)
    if (!option) return
    event.preventDefault()
    onChange(option.value)
    list.current?.querySelector<HTMLElement>(`[data-tab="${option.value}"]`)?.focus()
  }
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} onKeyDown={onKeyDown} className="flex flex-wrap gap-1">
        {options.map((option) => {
          const chosen = option.value === value
          return (
            <button
              key={option.value}
              type="button"
              role="tab"
              id={`${id}-${option.value}`}
              data-tab={option.value}
              aria-selected={chosen}
              aria-controls={chosen ? `${id}-panel` : undefined}
              tabIndex={chosen ? 0 : -1}
              onClick={() => onChange(option.value)}
              className={clsx(
                'h-7 scroll-mt-20 rounded-control px-2.5 text-small font-strong transition-colors duration-150 pointer-coarse:h-11 pointer-coarse:px-3',
                chosen ? 'bg-hover text-ink' : 'text-muted hover:text-ink',
              )}
            >
              {option.label}
            </button>
          )
        })}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`}>
        {children}
      </div>
    </>
  )
}
