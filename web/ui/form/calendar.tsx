import { clsx } from 'clsx'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../button.tsx'
import { ChevronLeft, ChevronRight } from '../icons/public.ts'
import { addDays, addMonths, monthWeeks, weekday } from './date-text.ts'

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const long = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' })
const monthName = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

interface CalendarProps {
  /** The chosen day, `YYYY-MM-DD`, or '' for none. */
  value: string
  today: string
  onChoose: (day: string) => void
}

/** A month's days. Arrows move by day and week, Home and End in the week, Page Up and Page Down by month or year. */
export function Calendar({ value, today, onChoose }: CalendarProps) {
  const [day, setDay] = useState(value || today)
  const grid = useRef<HTMLTableElement>(null)
  const moved = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the day is the trigger, not an input
  useEffect(() => {
    if (moved.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    moved.current = false
  }, [day])
  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayAfter(event, day)
    if (!next) return
    event.preventDefault()
    moved.current = true
    setDay(next)
  }
  const title = monthName.format(Date.parse(day))
  return (
    <>
      <div className="flex items-center justify-between gap-2">
        <Button look="quiet" size="icon" aria-label="Previous month" onClick={() => setDay(addMonths(day, -1))}>
          <ChevronLeft aria-hidden="true" className="size-4" />
        </Button>
        <p aria-live="polite" className="font-strong">
          {title}
        </p>
        <Button look="quiet" size="icon" aria-label="Next month" onClick={() => setDay(addMonths(day, 1))}>
          <ChevronRight aria-hidden="true" className="size-4" />
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: as the ARIA pattern for calendars has it */}
      <table ref={grid} role="grid" aria-label={title} onKeyDown={onKeyDown} className="mt-1">
        <thead>
          <tr>
            {weekdays.map((name) => (
              <th key={name} abbr={name} scope="col" className="h-8 text-small font-normal text-muted">
                {name.slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {monthWeeks(day).map((week) => (
            <tr key={week.find(Boolean)}>
              {week.map((one, place) => (
                // biome-ignore lint/a11y/useFocusableInteractive: its button takes the focus
                <td
                  key={weekdays[place]}
                  // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: as above
                  role="gridcell"
                  aria-selected={one === null ? undefined : one === value}
                  className="p-0"
                >
                  {one && (
                    <button
                      type="button"
                      tabIndex={one === day ? 0 : -1}
                      aria-label={long.format(Date.parse(one))}
                      aria-current={one === today ? 'date' : undefined}
                      onClick={() => onChoose(one)}
                      className={clsx(
                        'grid size-9 place-items-center rounded-control figures -outline-offset-2 pointer-coarse:size-11',
                        one === value ? 'bg-ink text-surface' : 'hover:bg-hover',
                        one === today && 'font-strong underline underline-offset-4',
                      )}
                    >
                      {Number(one.slice(8))}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** The day that a key leads to; undefined for other keys. */
function dayAfter({ key, shiftKey }: KeyboardEvent, day: string): string | undefined {
  const months = shiftKey ? 12 : 1
  if (key === 'PageUp') return addMonths(day, -months)
  if (key === 'PageDown') return addMonths(day, months)
  const days = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -7,
    ArrowDown: 7,
    Home: -weekday(day),
    End: 6 - weekday(day),
  }[key]
  return days === undefined ? undefined : addDays(day, days)
}
