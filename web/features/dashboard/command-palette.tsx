import { clsx } from 'clsx'
import { Fragment, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Modal } from '../../ui/dialog/modal.tsx'
import { Search } from '../../ui/icons/public.ts'
import { matching } from './commands.ts'
import { dashboardText as text } from './text.ts'
import { useCommands } from './use-commands.ts'
import { useDocsResults } from './use-docs-results.ts'

/** Finds pages, actions, keys, workspaces and documentation by typing. Arrows move, Enter runs, Escape closes. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const commands = useCommands()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const found = [...matching(commands, typed), ...useDocsResults(typed)]
  const chosen = Math.min(active, found.length - 1)

  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen])

  const run = (index: number) => {
    onClose()
    found[index]?.run()
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
      run(chosen)
    }
  }

  return (
    <Modal
      open
      onClose={onClose}
      label={text.commands}
      className="mx-auto mt-[12dvh] w-[calc(100vw-2rem)] max-w-lg rounded-card border border-line shadow-float"
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
          aria-label={text.commands}
          placeholder={text.commandsPlaceholder}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
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
        aria-label={text.commands}
        className="max-h-[50dvh] overflow-y-auto p-1.5"
      >
        {found.map(({ icon: Icon, ...command }, index) => (
          <Fragment key={`${command.group} ${command.id}`}>
            {command.group !== found[index - 1]?.group && (
              <div role="presentation" className="px-2.5 pt-2 pb-1 text-small text-muted">
                {command.group}
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
              onClick={() => run(index)}
              className={clsx(
                'flex h-9 cursor-pointer items-center gap-3 rounded-control px-2.5 pointer-coarse:h-11',
                index === chosen && 'bg-hover',
              )}
            >
              <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
              <bdi className="truncate">{command.label}</bdi>
            </div>
          </Fragment>
        ))}
      </div>
      <p role="status" className="text-center text-muted not-empty:px-4 not-empty:pb-6">
        {found.length === 0 && text.noCommands}
      </p>
    </Modal>
  )
}
