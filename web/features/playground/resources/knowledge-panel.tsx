import { useCallback, useEffect, useState } from 'react'
import { messageOf } from '../../../lib/http/api-error.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { TableSkeleton } from '../../../ui/table-skeleton.tsx'
import { type Block, ContentBlocks } from '../../answer/content-blocks.tsx'
import { type Knowledge, playgroundApi } from '../playground-api.ts'
import { playgroundText as text } from '../text.ts'
import type { Playground } from '../use-playground.ts'
import { KnowledgeEntry } from './knowledge-entry.tsx'
import { expandTemplate, variablesOf } from './uri-template.ts'

type Known = Knowledge & { serverName: string }
type Kind = 'resources' | 'prompts'

/** The resources and prompts of the connected servers. A failing server does not affect the others. */
export function KnowledgePanel({ kind, playground }: { kind: Kind; playground: Playground }) {
  const [known, setKnown] = useState<Known[] | null>(null)
  const [failures, setFailures] = useState<{ serverName: string; error: unknown }[]>([])
  const names = playground.servers.map(({ name }) => name).join('\n')
  const load = useCallback(async (servers: string[]) => {
    const all = await Promise.allSettled(servers.map((name) => playgroundApi.knowledge(name)))
    return {
      known: all.flatMap((one, n) => (one.status === 'fulfilled' ? [{ serverName: servers[n]!, ...one.value }] : [])),
      failures: all.flatMap((one, n) =>
        one.status === 'rejected' ? [{ serverName: servers[n]!, error: one.reason as unknown }] : [],
      ),
    }
  }, [])
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again
  useEffect(() => {
    let current = true
    setKnown(null)
    void load(names.split('\n').filter(Boolean)).then((answer) => {
      if (!current) return
      setKnown(answer.known)
      setFailures(answer.failures)
    })
    return () => {
      current = false
    }
  }, [names, load, attempt])
  if (!playground.connected)
    return <EmptyState title="No servers connected" about="Connect to a server to see what it offers." />
  if (!known) return <TableSkeleton label={`Loading ${kind}...`} />
  const again = () => setAttempt(attempt + 1)
  if (known.length === 0 && failures[0])
    return <ErrorState title={`Failed to load ${kind}`} error={failures[0].error} onRetry={again} />
  const count = known.reduce(
    (sum, one) => sum + one[kind].length + (kind === 'resources' ? one.templates.length : 0),
    0,
  )
  return (
    <>
      {failures.map(({ serverName, error }) => (
        <p key={serverName} role="alert" className="mt-4 text-danger">
          {text.error(text.serverTools(serverName, messageOf(error, 'no answer')))}
        </p>
      ))}
      {count === 0 && <EmptyState title={`No ${kind}`} about="The connected servers offer none." />}
      <ul className="mt-4 space-y-3">
        {known.map((one) =>
          kind === 'prompts' ? (
            <Prompts key={one.serverName} known={one} />
          ) : (
            <Resources key={one.serverName} known={one} playground={playground} />
          ),
        )}
      </ul>
    </>
  )
}

function Resources({
  known: { serverName, resources, templates },
  playground,
}: {
  known: Known
  playground: Playground
}) {
  const read = (uri: string) => playground.readResource(serverName, uri)
  const show = (contents: unknown[]) => <ContentBlocks blocks={contents.map(asResource)} />
  return (
    <>
      {templates.map(({ uriTemplate, name, description }) => (
        <KnowledgeEntry
          key={uriTemplate}
          name={uriTemplate}
          about={description ?? name}
          serverName={serverName}
          action="Read"
          fields={variablesOf(uriTemplate).map((variable) => ({ name: variable }))}
          completes={{ type: 'ref/resource', uri: uriTemplate }}
          run={(values) => read(expandTemplate(uriTemplate, values))}
          show={show}
        />
      ))}
      {resources.map(({ uri, name, description }) => (
        <KnowledgeEntry
          key={uri}
          name={uri}
          about={description ?? name}
          serverName={serverName}
          action="Read"
          run={() => read(uri)}
          show={show}
        />
      ))}
    </>
  )
}

const asResource = (contents: unknown): Block => ({ type: 'resource', resource: contents })

function Prompts({ known: { serverName, prompts } }: { known: Known }) {
  return prompts.map((prompt) => (
    <KnowledgeEntry
      key={prompt.name}
      name={prompt.name}
      about={prompt.description ?? ''}
      serverName={serverName}
      action="Get messages"
      fields={prompt.arguments}
      completes={{ type: 'ref/prompt', name: prompt.name }}
      run={(values) => playgroundApi.prompt(serverName, prompt.name, values).then((data) => data.messages)}
      show={(messages) => <PromptMessages messages={messages} />}
    />
  ))
}

function PromptMessages({ messages }: { messages: unknown[] }) {
  return messages.map((message, index) => {
    const { role, content } = message as { role?: unknown; content?: Block | Block[] }
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity and never change
      <div key={index} className="mt-2">
        <p className="text-small text-muted">{role === 'assistant' ? 'Assistant' : 'User'}</p>
        <ContentBlocks blocks={Array.isArray(content) ? content : [content ?? {}]} />
      </div>
    )
  })
}
