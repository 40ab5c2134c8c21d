import { useState } from 'react'
import { messageOf } from '../../../lib/http/api-error.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { ProofWhenAsked } from '../../layout/proof-dialog.tsx'
import { call, type Data } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { useFresh } from '../../lib/use-fresh.ts'
import type { Upstream } from './queries.ts'

type Compared = Data<'POST /upstreams/{id}/compare'>

/** What an MCP server says of its tools now, beside what an operator approved: customers get the approved form. */
export function ChangesCard({ upstream, isOwner }: { upstream: Upstream; isOwner: boolean }) {
  const { id, newest } = upstream
  const compare = useFresh('POST /upstreams/{id}/compare', { id })
  const [approving, setApproving] = useState(false)
  const noted = upstream.notes.filter(({ kind }) => kind === 'definition')
  const found = compare.data?.version === upstream.published ? compare.data : undefined
  return (
    <Card
      title="Definitions"
      about="AI models read the names, descriptions and inputs of tools. Customers get the versions that you approved, until you approve a change."
      aside={
        isOwner && (
          <Button size="small" busy={compare.isPending} onClick={() => compare.send(undefined)}>
            {compare.isPending ? 'Checking' : 'Check the server now'}
          </Button>
        )
      }
    >
      {noted.length === 0 && !found && <p className="text-muted">No changes were noticed in customer calls.</p>}
      {!found && noted.length > 0 && (
        <ul className="list-disc space-y-1 pl-5">
          {noted.map(({ operation, problem, seen_at }) => (
            <li key={operation}>
              <code className="font-mono">{operation}</code>: {problem} (last noticed {utcTime(seen_at)} UTC)
            </li>
          ))}
        </ul>
      )}
      <p role="alert" className="text-danger empty:hidden">
        {compare.error && messageOf(compare.error, 'The server could not be reached.')}
      </p>
      {found && (
        <div aria-live="polite" className="space-y-5">
          {found.changes.length === 0 && <p>The server offers exactly what you approved.</p>}
          {found.changes.map((one) => (
            <Change key={one.name} {...one} />
          ))}
          {isOwner && found.changes.length > 0 && (
            <Button look="primary" onClick={() => setApproving(true)}>
              Approve changes
            </Button>
          )}
        </div>
      )}
      {approving && found && (
        <ActDialog
          line="POST /upstreams"
          title="Approve changes"
          about={`Version ${newest + 1} will have the ${found.changes.length === 1 ? 'change' : `${found.changes.length} changes`} shown here, with the prices of version ${found.version}. Customers get it within two seconds.`}
          submit="Approve"
          busy="Approving"
          input={async () => {
            const { shown } = await call('GET /upstreams/{id}', { params: { id }, query: { version: found.version } })
            return { source: { from: 'server' as const }, manifest: shown.manifest, digest: found.digest, newest }
          }}
          onClose={() => setApproving(false)}
        />
      )}
      <ProofWhenAsked of={compare} />
    </Card>
  )
}

const tones = { changed: 'warning', new: 'accent', gone: 'danger' } as const

function Change({ name, change, parts }: Compared['changes'][number]) {
  return (
    <section aria-label={name} className="space-y-3">
      <h3 className="flex items-center gap-2 font-strong">
        <code className="font-mono">{name}</code> <Badge tone={tones[change]}>{change}</Badge>
      </h3>
      {parts.map(({ part, approved, now }) => (
        <div key={part} className="grid gap-3 md:grid-cols-2">
          <CodeBlock wrap label={`${part}, as approved`} code={approved ?? '(none)'} />
          <CodeBlock wrap label={`${part}, as the server sends it now`} code={now ?? '(none)'} />
        </div>
      ))}
    </section>
  )
}
