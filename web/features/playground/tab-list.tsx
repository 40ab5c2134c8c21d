import { clsx } from 'clsx'
import type { KeyboardEvent } from 'react'
import { MessageSquare, Wrench } from '../../ui/icons/dashboard.ts'
import { Server } from '../../ui/icons/docs.ts'
import { Settings } from '../../ui/icons/public.ts'
import { type Tab, tabs } from './tab.ts'
import { playgroundText as text } from './text.ts'

const icons = { chat: MessageSquare, servers: Server, tools: Wrench, settings: Settings }

/** The four tabs, in the sidebar and in the slide-in menu. */
export function TabList({
  value,
  onChange,
  toolCount,
}: {
  value: Tab
  onChange: (tab: Tab) => void
  toolCount: number
}) {
  return (
    <nav aria-label={text.title}>
      <ul className="space-y-0.5" onKeyDown={moveFocus}>
        {tabs.map((tab) => {
          const Icon = icons[tab]
          const here = tab === value
          return (
            <li key={tab}>
              <button
                type="button"
                aria-current={here ? 'page' : undefined}
                onClick={() => onChange(tab)}
                className={clsx(
                  'flex h-9 w-full items-center gap-3 rounded-control px-3 text-left transition-colors duration-150 pointer-coarse:h-11',
                  here
                    ? 'bg-hover font-strong text-ink forced-colors:underline'
                    : 'text-muted hover:bg-hover hover:text-ink',
                )}
              >
                <Icon aria-hidden="true" className={clsx('size-4', here && 'text-accent')} />
                {text.tabs[tab]}
                {tab === 'tools' && toolCount > 0 && (
                  <span aria-hidden="true" className="ml-auto text-small figures text-muted">
                    {toolCount}
                  </span>
                )}
              </button>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

/** The arrow keys move between the tabs. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  buttons.at((buttons.indexOf(event.target as HTMLButtonElement) + step) % buttons.length)?.focus()
}
