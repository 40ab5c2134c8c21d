import { clsx } from 'clsx'
import { useEffect, useId, useRef, useState } from 'react'
import { CalendarDays } from '../icons/public.ts'
import { Calendar } from './calendar.tsx'
import { controlClass } from './control-class.ts'
import { readDate, shownDate } from './date-text.ts'
import { Control, type FieldProps } from './field.tsx'

interface DateFieldProps extends FieldProps {
  /** As in the browser's own date fields: `YYYY-MM-DD`, with `THH:MM` if `withTime`; '' for none. */
  value: string
  onChange: (value: string) => void
  withTime?: boolean
  className?: string
}

/** A date typed in ISO form or chosen in a calendar. Reports only complete dates. */
export function DateField({ label, hint, value, onChange, withTime = false, className }: DateFieldProps) {
  const form = withTime ? 'YYYY-MM-DD HH:MM' : 'YYYY-MM-DD'
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const popover = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState(shownDate(value))
  const [known, setKnown] = useState(value)
  const [left, setLeft] = useState(false)
  const [open, setOpen] = useState(false)
  const read = readDate(typed, withTime)
  if (known !== value) {
    setKnown(value)
    if (read !== value) setTyped(shownDate(value))
  }
  const wrong = read === null ? `Write the date as ${form}.` : ''
  useEffect(() => input.current?.setCustomValidity(wrong), [wrong])

  const type = (text: string) => {
    setTyped(text)
    setLeft(false)
    const date = readDate(text, withTime)
    if (date !== null && date !== value) onChange(date)
  }
  const choose = (day: string) => {
    type(withTime ? `${day} ${value.slice(11) || '23:59'}` : day)
    popover.current?.hidePopover()
  }
  return (
    <Control label={label} hint={hint} error={left ? wrong : null} className={className}>
      {(control) => (
        <div className="relative">
          <input
            {...control}
            ref={input}
            value={typed}
            placeholder={form}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => type(event.target.value)}
            onBlur={() => {
              setLeft(true)
              if (read) setTyped(shownDate(read))
            }}
            className={clsx(controlClass, 'pr-10 figures pointer-coarse:pr-12')}
          />
          <button
            type="button"
            popoverTarget={id}
            aria-label="Open calendar"
            className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-control text-muted -outline-offset-2 hover:text-ink pointer-coarse:w-11"
          >
            <CalendarDays aria-hidden="true" className="size-4" />
          </button>
          <div
            ref={popover}
            id={id}
            popover="auto"
            role="dialog"
            aria-label="Calendar"
            onToggle={(event) => setOpen(event.newState === 'open')}
            onBlur={({ relatedTarget, currentTarget }) => {
              if (relatedTarget && !currentTarget.contains(relatedTarget)) currentTarget.hidePopover()
            }}
            className="calendar-popover rounded-card border border-line bg-surface p-2 text-ink shadow-float"
          >
            {open && <Calendar value={value.slice(0, 10)} today={today(withTime)} onChoose={choose} />}
          </div>
        </div>
      )}
    </Control>
  )
}

/** Days with a time are local, others UTC. */
function today(local: boolean): string {
  const offsetMs = local ? new Date().getTimezoneOffset() * 60_000 : 0
  return new Date(Date.now() - offsetMs).toISOString().slice(0, 10)
}
