import { ChevronRight, Play } from 'lucide-react'
import { useState } from 'react'
import type { PlaygroundTool } from '#contract/playground.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { playgroundText as text } from './text.ts'
import { ToolForm } from './tool-form.tsx'
import type { Playground } from './use-playground.ts'

/** A tool with its two tests: Test sends empty arguments to the first connected server, as specified. */
export function ToolItem({
  tool,
  playground,
  onShowChat,
}: {
  tool: PlaygroundTool
  playground: Playground
  onShowChat: () => void
}) {
  const [open, setOpen] = useState(false)
  const { calling, callTool, servers } = playground
  const busy = calling.includes(tool.name)
  const run = (args: unknown, server: string | undefined) => {
    void callTool(tool.name, args, server)
    onShowChat()
  }
  return (
    <li className="rounded-control border border-line p-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h3 className="flex flex-wrap items-center gap-2">
            <code className="font-mono font-strong break-all">{tool.name}</code>
            <Badge>{tool.serverName}</Badge>
            <span className="text-small figures text-muted">
              {priceOf(tool.credits)}
              {tool.tokens} tokens
            </span>
          </h3>
          <p className="mt-1 text-pretty break-words text-muted">{tool.description || text.noDescription}</p>
        </div>
        <div className="flex gap-2">
          <Button
            size="small"
            busy={busy}
            onClick={() => run({}, servers[0]?.name)}
            aria-label={`${text.test} ${tool.name}`}
          >
            {!busy && <Play aria-hidden="true" className="size-4" />}
            {text.test}
          </Button>
          <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {text.testWith}
          </Button>
        </div>
      </div>
      {open && <ToolForm schema={tool.inputSchema} busy={busy} onSubmit={(args) => run(args, tool.serverName)} />}
      <details className="group mt-2">
        <summary className="inline-flex items-center gap-1 rounded-control text-small text-muted hover:text-ink">
          <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
          {text.viewSchema}
        </summary>
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="mt-2 max-h-80 overflow-auto rounded-control border border-line bg-sunken p-3 font-mono text-small leading-5 -outline-offset-2"
        >
          {JSON.stringify(tool.inputSchema, null, 2)}
        </pre>
      </details>
    </li>
  )
}

function priceOf(rule: unknown): string {
  const { kind, credits, perRows } = (rule ?? {}) as { kind?: string; credits?: number; perRows?: number }
  if (typeof credits !== 'number') return ''
  if (credits === 0) return 'free · '
  const price = credits === 1 ? '1 credit' : `${credits} credits`
  return kind === 'rows' ? `${price} per ${perRows} rows · ` : `${price} · `
}
