import { type NavigateOptions, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Fragment, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { readTerm } from '#contract/operator/search-term.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { Modal } from '../../ui/dialog/modal.tsx'
import { Search } from '../../ui/icons/public.ts'
import { kindNames, useFound } from './use-found.ts'

const label = 'Search'

/** Finds pages, customers, receipts and invoices. Arrows move, Enter opens, Escape closes. A pasted API key is cut at once. */
export default function SearchPalette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const { term, kind, found, isSearching, error } = useFound(typed)
  const chosen = Math.min(active, found.length - 1)

  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const type = (text: string) => {
    const read = readTerm(text)
    // The field itself must not hold a key either.
    setTyped(read?.kind === 'key' ? read.value : text)
    setActive(0)
  }
  const open = (index: number) => {
    const place = found[index]
    if (!place) return
    onClose()
    void navigate(place as NavigateOptions)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowDown: (chosen + 1) % found.length,
      ArrowUp: (chosen - 1 + found.length) % found.length,
    }
    const next = moves[event.key]
    if (next !== undefined && found.length > 0) {
      event.preventDefault()
      setActive(next)
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      open(chosen)
    }
  }
  const status = error
    ? messageOf(error, 'The search failed.')
    : typed.trim() !== '' && !term
      ? 'This looks like a secret. It was not sent.'
      : isSearching
        ? 'Searching…'
        : kind
          ? `Searched as: ${kindNames[kind]}${found.length === 0 ? '. Nothing found.' : ''}`
          : ''

  return (
    <Modal
      open
      onClose={onClose}
      label={label}
      className="mx-auto mt-[12dvh] w-[calc(100vw-2rem)] max-w-xl rounded-card border border-line shadow-float"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search aria-hidden="true" className="size-4 shrink-0 text-mark" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type in it
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${chosen}` : undefined}
          aria-label={label}
          placeholder="Name, email, key, receipt, invoice or any ID"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => type(target.value)}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-prose outline-none placeholder:text-mark"
        />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        role="listbox"
        aria-label={label}
        className="max-h-[50dvh] overflow-y-auto p-1.5"
      >
        {found.map((place, index) => (
          <Fragment key={place.key}>
            {place.group !== found[index - 1]?.group && (
              <div role="presentation" className="px-2.5 pt-2 pb-1 text-small text-muted">
                {place.group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard acts on the input, which names the active option */}
            <div
              id={`${id}-${index}`}
              data-index={index}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onPointerMove={() => setActive(index)}
              onClick={() => open(index)}
              className={clsx(
                'flex min-h-9 cursor-pointer items-baseline gap-3 rounded-control px-2.5 py-2 pointer-coarse:min-h-11',
                index === chosen && 'bg-hover',
              )}
            >
              <bdi className="shrink-0 max-w-[50%] truncate">{place.title}</bdi>
              <bdi className="min-w-0 truncate text-small text-muted">{place.detail}</bdi>
            </div>
          </Fragment>
        ))}
      </div>
      <p role="status" className="border-line text-small text-muted not-empty:border-t not-empty:px-4 not-empty:py-2.5">
        {status}
      </p>
    </Modal>
  )
}
