import { clsx } from 'clsx'
import { useEffect, useRef, useState } from 'react'
import type { PlaygroundTool } from '#contract/playground.ts'
import { visible } from '../../../lib/visible.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Play } from '../../../ui/icons/dashboard.ts'
import { ChevronRight } from '../../../ui/icons/public.ts'
import { JsonBlock } from '../../answer/json-block.tsx'
import type { ChatMessage } from '../chat/messages/messages.ts'
import { serverLabel } from '../server-label.ts'
import { playgroundText as text } from '../text.ts'
import type { Playground } from '../use-playground.ts'
import { priceWords } from './price-words.ts'
import { ToolAnswer } from './tool-answer.tsx'
import { ToolForm } from './tool-form.tsx'

const marginPx = 12

/** A tool, two ways to run it, and its answer. Test sends empty arguments to the first connected server, as specified. */
export function ToolItem({
  tool,
  playground,
  args: given,
  onShowEntry,
  onShowChat,
}: {
  tool: PlaygroundTool
  playground: Playground
  /** From a link: opens the form with them, and calls nothing. */
  args: Record<string, unknown> | null
  onShowEntry: (id: string) => void
  onShowChat: () => void
}) {
  const [open, setOpen] = useState(given !== null)
  const [answer, setAnswer] = useState<ChatMessage | null>(null)
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    // Not scrollIntoView, which would also move the window.
    const box = item.current?.closest<HTMLElement>('[data-scroll-restoration-id]')
    if (!open || !box || !item.current) return
    box.scrollTop += item.current.getBoundingClientRect().top - box.getBoundingClientRect().top - marginPx
  }, [open])
  const { calling, callTool, servers } = playground
  const endpoint = servers.find(({ name }) => name === tool.serverName)?.endpoint
  const busy = calling.includes(tool.name)
  const price = priceWords(tool.credits)
  const form = (
    <Button look="quiet" size="small" className="sm:-mr-2.5" aria-expanded={open} onClick={() => setOpen(!open)}>
      {text.testWith}
    </Button>
  )
  const run = async (args: unknown, server: string | undefined) => {
    const { message } = await callTool(tool.name, args, server)
    setAnswer(message)
    if (!message) onShowChat()
  }
  return (
    <li ref={item} className="flex flex-col py-3">
      {/* On a phone the buttons come below the description. */}
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2 max-sm:contents">
        <h3 className="flex min-w-0 flex-wrap items-center gap-2 sm:min-h-8 sm:flex-1 sm:basis-64">
          <code className="font-mono font-strong break-all">{visible(tool.name)}</code>
          <Badge>{serverLabel(tool.serverName)}</Badge>
          {tool.hints?.destructive && !tool.hints.readOnly && <Badge tone="warning">{text.hints.destructive}</Badge>}
          {price !== null && <span className="text-small figures">{price}</span>}
          <span className="text-small text-muted empty:hidden">
            {[tool.streams && text.hints.streams, tool.plans && text.plans(tool.plans.map(visible))]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </h3>
        <div className="flex gap-2 max-sm:order-1 max-sm:mt-2">
          <Button
            size="small"
            busy={busy}
            onClick={() => void run({}, servers[0]?.name)}
            aria-label={`${text.test} ${tool.name}`}
          >
            {!busy && <Play aria-hidden="true" className="size-4" />}
            {text.test}
          </Button>
          {form}
        </div>
      </div>
      <p
        title={open ? undefined : tool.description && visible(tool.description)}
        className={clsx('mt-1 max-w-[90ch] text-pretty break-words text-muted', !open && 'line-clamp-2')}
      >
        {tool.description
          ? visible(price === null ? tool.description : withoutPrice(tool.description))
          : text.noDescription}
      </p>
      <div className="max-sm:order-2">
        {open && (
          <ToolForm
            tool={tool.name}
            schema={tool.inputSchema}
            endpoint={endpoint}
            busy={busy}
            price={price}
            initial={given}
            onSubmit={(args) => void run(args, tool.serverName)}
          />
        )}
        {answer && (
          <ToolAnswer
            tool={visible(tool.name)}
            message={answer}
            openAs={playground.preferences.openAs}
            onShowEntry={onShowEntry}
          />
        )}
        <div className="mt-1 flex flex-wrap gap-x-4">
          <Schema title={text.viewSchema} schema={tool.inputSchema} />
          {tool.outputSchema && <Schema title={text.viewOutput} schema={tool.outputSchema} />}
        </div>
      </div>
    </li>
  )
}

/** Agents read the price in the description; people read it above. */
const withoutPrice = (about: string) => about.replace(/(^| )(Free|\d+ credits?\b[^.]*)\.$/, '')

function Schema({ title, schema }: { title: string; schema: Record<string, unknown> }) {
  return (
    <details className="group min-w-0 open:w-full">
      <summary className="inline-flex min-h-6 items-center gap-1 rounded-control text-small text-muted hover:text-ink">
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <JsonBlock data={schema} />
    </details>
  )
}
