import { clsx } from 'clsx'
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Modal } from './dialog/modal.tsx'
import { Search } from './icons/public.ts'

interface PaletteProps<Item> {
  label: string
  placeholder: string
  typed: string
  onType: (text: string) => void
  /** In groups: a heading stands before the first of each. `key` is unique. */
  found: readonly (Item & { key: string; group: string })[]
  /** Below the list, and announced. */
  status: ReactNode
  onChoose: (item: Item) => void
  onClose: () => void
  /** What an option shows. */
  children: (item: Item) => ReactNode
}

/** A search in a dialog. Arrows, Home and End move, Enter chooses, Escape closes. */
export function Palette<Item>({ label, placeholder, typed, found, status, children, ...on }: PaletteProps<Item>) {
  const id = useId()
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const chosen = Math.min(active, found.length - 1)

  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const choose = (index: number) => {
    const item = found[index]
    if (!item) return
    on.onClose()
    on.onChoose(item)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowDown: (chosen + 1) % found.length,
      ArrowUp: (chosen - 1 + found.length) % found.length,
      Home: 0,
      End: found.length - 1,
    }
    const next = moves[event.key]
    if (next !== undefined && found.length > 0) {
      event.preventDefault()
      setActive(next)
    }
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      choose(chosen)
    }
  }

  return (
    <Modal
      open
      onClose={on.onClose}
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
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => {
            on.onType(target.value)
            setActive(0)
          }}
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
        {found.map((item, index) => (
          <Fragment key={item.key}>
            {item.group !== found[index - 1]?.group && (
              <div role="presentation" className="px-2.5 pt-2 pb-1 text-small text-muted">
                {item.group}
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
              onClick={() => choose(index)}
              className={clsx(
                'flex h-9 cursor-pointer items-center gap-3 rounded-control px-2.5 pointer-coarse:h-11',
                index === chosen && 'bg-hover',
              )}
            >
              {children(item)}
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
