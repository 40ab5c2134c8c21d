import { clsx } from 'clsx'
import { useEffect, useRef } from 'react'
import { formatClock, formatMoment } from '../../../lib/format.ts'
import { visible } from '../../../lib/visible.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { RotateCw } from '../../../ui/icons/dashboard.ts'
import { ChevronRight } from '../../../ui/icons/public.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { playgroundText as text } from '../text.ts'
import { Snippets } from '../tools/snippets.tsx'
import type { Playground } from '../use-playground.ts'
import type { LogEntry } from './log-entry.ts'

const kib = (bytes: number) => (bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`)

/** Requests of this page, newest first: their messages, their cost, and the same call as code. */
export function LogPanel({
  entries,
  shownId,
  playground,
}: {
  entries: readonly LogEntry[]
  /** The entry that a message links to. */
  shownId: string | null
  playground: Playground
}) {
  if (entries.length === 0)
    return (
      <EmptyState title="Nothing yet" about="Each call appears here with its messages, time, credits and tokens." />
    )
  return (
    <>
      <ul className="mt-4 space-y-3">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} shown={entry.id === shownId} playground={playground} />
        ))}
      </ul>
      <p className="mt-4 flex flex-wrap items-center gap-3 text-small text-muted">
        Tool calls are stored in this browser until you sign out. Symbol searches while you type are left out.
        <Button size="small" onClick={playground.clearLog}>
          {text.clearLog}
        </Button>
      </p>
    </>
  )
}

function Entry({ entry, shown, playground }: { entry: LogEntry; shown: boolean; playground: Playground }) {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (shown) item.current?.focus()
  }, [shown])
  const { label, tool, call, at, credits, serverName, earlier } = entry
  const endpoint = playground.servers.find(({ name }) => name === serverName)?.endpoint
  const bytes = call.exchanges.reduce((sum, one) => sum + one.responseBytes, 0)
  const facts = [
    earlier ? formatMoment(at) : formatClock(at, 'second'),
    `${call.durationMs} ms`,
    earlier ? text.earlierCall : kib(bytes),
    ...(credits === null ? [] : [credits === 1 ? '1 credit' : `${credits} credits`]),
    `about ${call.tokens.toLocaleString('en-US')} tokens`,
    call.protocolVersion,
  ]
  return (
    <li
      ref={item}
      tabIndex={-1}
      className={clsx('rounded-control border p-3', shown ? 'border-accent' : 'border-line')}
    >
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1 basis-64">
          <code className="font-mono font-strong break-all">{visible(label)}</code>{' '}
          <span className="text-small figures text-muted">{facts.join(' · ')}</span>
        </p>
        {tool !== undefined && (
          <Button
            size="small"
            busy={playground.calling.includes(tool)}
            onClick={() => void playground.callTool(tool, entry.arguments, serverName)}
            aria-label={`Call again: ${tool}`}
          >
            <RotateCw aria-hidden="true" className="size-4" />
            Call again
          </Button>
        )}
      </div>
      {tool !== undefined && endpoint !== undefined && (
        <Snippets endpoint={endpoint} tool={tool} args={entry.arguments} />
      )}
      {call.exchanges.map((exchange, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: exchanges have no identity and never change
        <details key={index} className="group mt-2">
          <summary className="flex items-center gap-1 rounded-control text-small text-muted hover:text-ink">
            <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
            <span className="font-mono">{exchange.method}</span> {exchange.status} · {exchange.durationMs} ms ·{' '}
            {kib(exchange.requestBytes)} out, {kib(exchange.responseBytes)} in
          </summary>
          <CodeBlock className="mt-2" label="Request headers" code={headerLines(exchange.requestHeaders)} wrap />
          <CodeBlock className="mt-2" label="Request" code={pretty(exchange.request)} wrap />
          <CodeBlock className="mt-2" label="Response headers" code={headerLines(exchange.responseHeaders)} wrap />
          <CodeBlock
            className="mt-2"
            label={`Response · ${exchange.contentType}`}
            code={pretty(exchange.response)}
            wrap
          />
        </details>
      ))}
    </li>
  )
}

/** Headers, shown above the message. */
const headerLines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

function pretty(text: string): string {
  try {
    return visible(JSON.stringify(JSON.parse(text), null, 2))
  } catch {
    return visible(text)
  }
}
