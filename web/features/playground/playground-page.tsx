import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useCallback, useState } from 'react'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/dialog/modal.tsx'
import { PanelLeft } from '../../ui/icons/dashboard.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { keysQuery } from '../keys/queries.ts'
import { ChatTab } from './chat/chat-tab.tsx'
import { ChargeTo } from './servers/charge-to.tsx'
import { ConnectionStatus } from './servers/connection-status.tsx'
import { ServersTab } from './servers/servers-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'
import { type PlaygroundSearch, readSearch } from './share-link.ts'
import type { Tab } from './tab.ts'
import { TabList } from './tab-list.tsx'
import { playgroundText as text } from './text.ts'
import { ToolsTab } from './tools/tools-tab.tsx'
import { usePlayground } from './use-playground.ts'

/** Four tabs that share one connection. The tab is in the URL, so that it can be linked. */
export function PlaygroundPage() {
  const { tab = 'chat', view = 'tools', ask, tool, args } = readSearch(useSearch({ from: '/dashboard/playground' }))
  const navigate = useNavigate()
  const { data: keys } = useQuery(keysQuery)
  const [chosenKey, chooseKey] = useState<string | null>(null)
  const [menuOpen, setMenuOpen] = useState(false)
  // Messages and typed arguments must survive the end of the session.
  const [typed, setTyped] = useState(false)
  useUnsaved(typed)
  // Initially calls are charged to the first key; '' means that the user selected none.
  const keyId = chosenKey === '' ? null : (keys?.find((key) => key.id === chosenKey)?.id ?? keys?.[0]?.id ?? null)
  const playground = usePlayground(keyId)
  const [entryId, setEntryId] = useState<string | null>(null)
  const go = useCallback(
    (search: PlaygroundSearch) =>
      void navigate({ to: '/dashboard/playground', search, replace: true, resetScroll: false }),
    [navigate],
  )
  const show = (next: Tab) => {
    setMenuOpen(false)
    setEntryId(null)
    go(next === 'chat' ? {} : { tab: next })
  }
  const showEntry = useCallback(
    (id: string) => {
      setEntryId(id)
      go({ tab: 'tools', view: 'log' })
    },
    [go],
  )
  const fill = (line: string) => go({ ask: line })
  const showNewest = () => {
    playground.places.chat = null
    show('chat')
  }
  const list = <TabList value={tab} onChange={show} toolCount={playground.tools.length} />

  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/playground']} />
      <div
        onInput={() => setTyped(true)}
        className="grid min-w-0 overflow-hidden rounded-card border border-line bg-surface max-sm:-mx-4 max-sm:rounded-none max-sm:border-x-0 lg:grid-cols-[12rem_minmax(0,1fr)]"
      >
        <div className="hidden border-r border-line p-3 lg:block">{list}</div>
        <section
          aria-label={text.tabs[tab]}
          className={clsx(
            'flex min-w-0 flex-col',
            tab !== 'servers' && 'min-h-112 lg:h-[calc(100dvh-13rem)]',
            // On a phone the page scrolls, and only a conversation does so above its message box.
            tab === 'chat' && 'h-[calc(100dvh-13rem)]',
          )}
        >
          <header className="flex min-h-13 items-center gap-3 border-b border-line px-4 py-2">
            <Button
              look="quiet"
              size="icon"
              aria-label={text.openMenu}
              aria-expanded={menuOpen}
              className="-ml-2 lg:hidden"
              onClick={() => setMenuOpen(true)}
            >
              <PanelLeft aria-hidden="true" className="size-5" />
            </Button>
            <h2 className="font-strong">{text.tabs[tab]}</h2>
            <div className="ml-auto flex items-center gap-3">
              {(tab === 'chat' || tab === 'tools') && (
                <>
                  <span aria-hidden="true" className="text-small text-muted max-xl:hidden">
                    {text.chargedTo}
                  </span>
                  <ChargeTo compact keys={keys ?? []} keyId={keyId} onChoose={chooseKey} />
                </>
              )}
              <ConnectionStatus playground={playground} />
            </div>
          </header>
          {tab === 'chat' && (
            <ChatTab
              playground={playground}
              ask={ask}
              onShowEntry={showEntry}
              onOpenForm={(form) => go({ tab: 'tools', tool: form })}
            />
          )}
          {tab === 'servers' && <ServersTab playground={playground} />}
          {tab === 'tools' && (
            <ToolsTab
              playground={playground}
              view={view}
              onView={(next) => go({ tab, ...(next !== 'tools' && { view: next }) })}
              opened={tool === undefined ? null : { tool, args: args ?? {} }}
              entryId={entryId}
              onShowEntry={showEntry}
              onShowChat={showNewest}
            />
          )}
          {tab === 'settings' && (
            <SettingsTab playground={playground} keys={keys ?? []} keyId={keyId} onChooseKey={chooseKey} onAsk={fill} />
          )}
        </section>
      </div>
      <Modal
        open={menuOpen}
        onClose={() => setMenuOpen(false)}
        label={text.menu}
        className="modal-drawer h-dvh w-72 border-r border-line shadow-float"
      >
        <div className="h-full p-4">
          {list}
          <Button look="quiet" className="mt-4" onClick={() => setMenuOpen(false)}>
            {text.closeMenu}
          </Button>
        </div>
      </Modal>
    </>
  )
}
