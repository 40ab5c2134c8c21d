import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { type ReactNode, useState } from 'react'
import { readTheme, setTheme, type Theme } from '../../lib/theme.ts'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/dialog/modal.tsx'
import { ToastOutlet } from '../../ui/toast/toast-outlet.tsx'
import { TooltipLayer } from '../../ui/tooltip/tooltip-layer.tsx'
import { call, sessionQuery } from '../lib/api.ts'
import { ChoiceField } from '../ui/choice-field.tsx'
import { groupsOf } from './navigation.ts'
import { SearchButton, SearchHost } from './search-host.tsx'
import { Shortcuts, ShortcutsButton } from './shortcuts.tsx'

/** Sidebar, header and content of every page of the console. */
export function Frame({ children }: { children: ReactNode }) {
  const { data: session } = useSuspenseQuery(sessionQuery)
  const [open, setOpen] = useState(false)
  const leave = async () => {
    await call('DELETE /session')
    location.assign('/')
  }
  return (
    <>
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-40 focus:bg-surface focus:p-3">
        Skip to content
      </a>
      <header className="sticky top-0 z-30 flex min-h-(--header-height) items-center gap-3 border-b border-line bg-surface/95 px-4 backdrop-blur-sm sm:px-6">
        <Button look="quiet" className="-ml-2 lg:hidden" aria-expanded={open} onClick={() => setOpen(true)}>
          Menu
        </Button>
        <Link to="/" className="mr-auto truncate font-strong">
          {session.shop_name} <span className="font-normal text-muted">Console</span>
        </Link>
        <SearchButton />
        <p className="hidden truncate text-muted md:block">
          {session.email}, {session.role}
        </p>
        <Button size="small" onClick={leave}>
          Leave
        </Button>
      </header>
      {session.second_factor === 'read_only' && (
        <p role="status" className="border-b border-warning-line bg-warning-soft px-4 py-2 text-warning sm:px-6">
          This session is read-only.{' '}
          <a href="/dashboard/settings/security" className="underline underline-offset-4">
            Add two-factor authentication
          </a>{' '}
          to your account, then open the console again.
        </p>
      )}
      <div className="lg:flex">
        <aside className="sticky top-(--header-height) hidden h-[calc(100dvh-var(--header-height))] w-60 shrink-0 overflow-y-auto border-r border-line bg-surface lg:block">
          <Navigation onGo={() => {}} />
        </aside>
        <main id="content" className="mx-auto min-w-0 max-w-7xl flex-1 space-y-5 px-4 py-6 sm:px-6 sm:py-8">
          {children}
        </main>
      </div>
      <Modal
        open={open}
        onClose={() => setOpen(false)}
        label="Menu"
        className="modal-drawer h-dvh w-72 border-r border-line shadow-float"
      >
        <Navigation onGo={() => setOpen(false)} />
      </Modal>
      <SearchHost />
      <Shortcuts />
      <TooltipLayer />
      <ToastOutlet />
    </>
  )
}

function Navigation({ onGo }: { onGo: () => void }) {
  const path = useLocation({ select: ({ pathname }) => pathname })
  const { role } = useSuspenseQuery(sessionQuery).data
  const groups = groupsOf(role)
  const [theme, choose] = useState<Theme>(readTheme)
  return (
    <nav aria-label="Console" className="space-y-5 p-4">
      {groups.map(({ name, places }) => (
        <div key={name}>
          {name && <p className="px-3 pb-1 text-small text-muted">{name}</p>}
          <ul className="space-y-0.5">
            {places.map(({ to, label }) => {
              const here = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)
              return (
                <li key={to}>
                  <Link
                    to={to}
                    activeOptions={{ exact: true }}
                    aria-current={here ? 'page' : undefined}
                    onClick={onGo}
                    className={clsx(
                      'flex h-9 items-center rounded-control px-3 transition-colors duration-150 pointer-coarse:h-11',
                      here ? 'bg-hover font-strong text-ink' : 'text-muted hover:bg-hover hover:text-ink',
                    )}
                  >
                    {label}
                  </Link>
                </li>
              )
            })}
          </ul>
        </div>
      ))}
      <ChoiceField
        label="Theme"
        className="border-t border-line px-3 pt-4"
        value={theme}
        options={{ system: 'System', light: 'Light', dark: 'Dark' }}
        onChange={(next) => {
          setTheme(next)
          choose(next)
        }}
      />
      <ShortcutsButton />
    </nav>
  )
}
