import { useSuspenseQuery } from '@tanstack/react-query'
import { type NavigateOptions, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { sessionQuery } from '../lib/api.ts'
import { groupsOf } from './navigation.ts'
import { openSearch } from './search-host.tsx'

const store = 'finmeter.console.shortcuts'
const helpEvent = 'console:shortcuts'
const areOn = () => localStorage.getItem(store) !== 'off'

const inRows: Record<string, string> = {
  'j / k': 'Next or previous row of a list',
  Enter: 'Open the row',
  x: 'Select the row',
  m: 'Actions of the row',
  '/': 'Search',
  '?': 'These shortcuts',
}

/** Keys without a modifier: never in a field, a menu or a dialog, and not at all when they are switched off. */
export function Shortcuts() {
  const navigate = useNavigate()
  const { role } = useSuspenseQuery(sessionQuery).data
  const places = groupsOf(role).flatMap(({ places }) => places)
  const [helps, setHelps] = useState(false)
  const [on, setOn] = useState(areOn)
  useEffect(() => {
    let isGoing = false
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target } = event
      const isTaken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
      if (isTaken || !areOn() || document.querySelector('dialog[open]')) return
      if ((target as Element).closest('input:not([type=checkbox]), textarea, select, [role=menu]')) return
      const goes = isGoing
        ? groupsOf(role)
            .flatMap(({ places }) => places)
            .find((place) => place.key === key)
        : undefined
      isGoing = key === 'g'
      if (goes) void navigate({ to: goes.to } as NavigateOptions)
      else if (key === 'j') focusRow(1)
      else if (key === 'k') focusRow(-1)
      else if (key === 'x') rowNow()?.querySelector<HTMLElement>('input[type=checkbox]')?.click()
      else if (key === 'm') rowNow()?.querySelector<HTMLElement>('[data-menu]')?.click()
      else if (key === '/') openSearch()
      else if (key === '?') setHelps(true)
      else return
      event.preventDefault()
    }
    const abort = new AbortController()
    addEventListener('keydown', onKeyDown, abort)
    addEventListener(helpEvent, () => setHelps(true), abort)
    return () => abort.abort()
  }, [navigate, role])
  return (
    helps && (
      <Dialog
        title="Keyboard shortcuts"
        about="Ctrl K or Cmd K opens the search anywhere."
        onClose={() => setHelps(false)}
      >
        <dl className="mt-4 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
          {Object.entries(inRows).map(([key, words]) => (
            <Shortcut key={key} keys={key} words={words} />
          ))}
          {places.map(({ key, label }) => key && <Shortcut key={key} keys={`g ${key}`} words={`Go to ${label}`} />)}
        </dl>
        <div className="mt-5 flex flex-wrap items-center justify-between gap-4">
          <Checkbox
            label="Use single-key shortcuts"
            checked={on}
            onChange={({ target }) => {
              setOn(target.checked)
              localStorage.setItem(store, target.checked ? 'on' : 'off')
            }}
          />
          <Button onClick={() => setHelps(false)}>Close</Button>
        </div>
      </Dialog>
    )
  )
}

export const ShortcutsButton = () => (
  <Button look="quiet" size="small" onClick={() => dispatchEvent(new Event(helpEvent))}>
    Keyboard shortcuts
  </Button>
)

const Shortcut = ({ keys, words }: { keys: string; words: string }) => (
  <>
    <dt>
      <kbd className="rounded-[4px] border border-line bg-sunken px-1.5 font-mono text-small">{keys}</kbd>
    </dt>
    <dd>{words}</dd>
  </>
)

const rowNow = () => document.activeElement?.closest('main tbody tr')

/** Moves the focus to the first control of the next row that has one. */
function focusRow(by: 1 | -1) {
  const rows = [...document.querySelectorAll('main tbody tr')].filter((row) => row.querySelector('a, button, input'))
  const now = rows.indexOf(rowNow() as Element)
  const next = rows[now === -1 ? (by > 0 ? 0 : -1) : now + by] ?? rows[now]
  const controls = next?.querySelectorAll<HTMLElement>('a, button, input')
  const control = [...(controls ?? [])].find((one) => one.matches('a')) ?? controls?.[0]
  control?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
