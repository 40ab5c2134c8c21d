import { useMemo, useState } from 'react'
import { visible } from '../../../lib/visible.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { RotateCw } from '../../../ui/icons/dashboard.ts'
import { Segments } from '../../../ui/segments.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { LogPanel } from '../call-log/log-panel.tsx'
import { byInterest } from '../chat/suggestions/own-tools.ts'
import { KnowledgePanel } from '../resources/knowledge-panel.tsx'
import type { ToolView } from '../share-link.ts'
import { TabPanel } from '../tab-panel.tsx'
import { playgroundText as text } from '../text.ts'
import type { Playground } from '../use-playground.ts'
import { ToolItem } from './tool-item.tsx'

const views = [
  { value: 'tools', label: 'Tools' },
  { value: 'resources', label: 'Resources' },
  { value: 'prompts', label: 'Prompts' },
  { value: 'log', label: 'Log' },
] as const

/** A tool from a link, with its arguments. */
export interface OpenedTool {
  tool: string
  args: Record<string, unknown>
}

interface ToolsTabProps {
  playground: Playground
  view: ToolView
  onView: (view: ToolView) => void
  opened: OpenedTool | null
  /** An entry of the log to show. */
  entryId: string | null
  onShowEntry: (id: string) => void
  /** Where a tool asks for input. */
  onShowChat: () => void
}

/** Everything that the connected servers offer, and the log. */
export function ToolsTab({ playground, view, onView, opened, entryId, ...actions }: ToolsTabProps) {
  const { servers, tools, loading, refresh, log } = playground
  const [refreshes, setRefreshes] = useState(0)
  const refreshAll = () => {
    setRefreshes(refreshes + 1)
    void refresh()
  }
  return (
    <TabPanel tab="tools" places={playground.places}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p role="status" className="text-muted">
          {text.statusLine(servers.length, tools.length)}
        </p>
        <div className="flex flex-wrap items-center gap-2 max-sm:w-full max-sm:justify-between sm:ml-auto">
          <Segments label="View" look="frame" value={view} options={views} onChange={onView} />
          <Button size="small" busy={loading} onClick={refreshAll}>
            {!loading && <RotateCw aria-hidden="true" className="size-4" />}
            <span className="max-sm:sr-only">{text.refresh}</span>
          </Button>
        </div>
      </div>
      {view === 'tools' && <ToolList playground={playground} opened={opened} {...actions} />}
      {(view === 'resources' || view === 'prompts') && (
        <KnowledgePanel key={`${view} ${refreshes}`} kind={view} playground={playground} />
      )}
      {view === 'log' && <LogPanel entries={log} shownId={entryId} playground={playground} />}
    </TabPanel>
  )
}

type ToolListProps = Pick<ToolsTabProps, 'playground' | 'opened' | 'onShowEntry' | 'onShowChat'>

function ToolList({ playground, opened, ...actions }: ToolListProps) {
  const { tools } = playground
  // The first connected server with this tool.
  const linked = opened && tools.find(({ name }) => name === opened.tool)
  const [query, setQuery] = useState('')
  const found = useMemo(() => {
    const wanted = query.trim().toLowerCase()
    return byInterest(tools).filter((tool) => `${tool.name} ${tool.description ?? ''}`.toLowerCase().includes(wanted))
  }, [tools, query])
  if (tools.length === 0) return <EmptyState title={text.noTools} about={text.noToolsAbout} />
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0)
  return (
    <>
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <TextField
          label="Search tools"
          hideLabel
          placeholder="Search tools"
          type="search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="min-w-56 flex-1"
        />
        <p className="text-small figures text-muted">
          Together about {tokens.toLocaleString('en-US')} tokens in an AI client.
        </p>
      </div>
      {opened && !linked && (
        <p role="alert" className="mt-4 text-warning">
          {text.linkTool(visible(opened.tool))}
        </p>
      )}
      {found.length === 0 && (
        <EmptyState title="No matching tools" about="Try another word from the name or description." />
      )}
      <ul className="mt-3 divide-y divide-line border-t border-line">
        {found.map((tool) => (
          <ToolItem
            key={`${tool.serverName}/${tool.name}`}
            tool={tool}
            playground={playground}
            args={opened !== null && tool === linked ? opened.args : null}
            {...actions}
          />
        ))}
      </ul>
    </>
  )
}
