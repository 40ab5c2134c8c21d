import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { utcTime } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'
import { secretsQuery } from './queries.ts'
import { SecretDialog } from './secret-dialog.tsx'

/** Names of the credentials that upstreams are sent. Values are never shown. */
export function SecretsCard({ isOwner }: { isOwner: boolean }) {
  const secrets = useQuery(secretsQuery)
  const [setting, setSetting] = useState<string | null>(null)
  const [removing, setRemoving] = useState<string | null>(null)
  const all = secrets.data?.secrets ?? []
  return (
    <Card
      title="Stored credentials"
      about="Sent to the upstreams that use them, and never shown again. A new value is used within two seconds."
      aside={
        isOwner && (
          <Button size="small" onClick={() => setSetting('')}>
            Store a credential
          </Button>
        )
      }
      flush={all.length > 0}
    >
      <QueryState
        query={secrets}
        loading="Loading the credentials"
        bars={['h-9']}
        failed="The credentials could not be loaded."
      />
      {secrets.data && all.length === 0 && (
        <p className="text-muted">
          No credentials are stored. An API can also use an environment variable of the servers.
        </p>
      )}
      {all.length > 0 && (
        <Table
          label="Stored credentials"
          head={
            <>
              <HeadCell>Name</HeadCell>
              <HeadCell>Used by</HeadCell>
              <HeadCell>Changed (UTC)</HeadCell>
              {isOwner && <HeadCell align="right">Change</HeadCell>}
            </>
          }
        >
          {all.map(({ name, used_by, changed_at }) => (
            <tr key={name}>
              <Cell>
                <code className="font-mono">{name}</code>
              </Cell>
              <Cell>{used_by.join(', ') || 'No published version'}</Cell>
              <Cell className="whitespace-nowrap">{utcTime(changed_at)}</Cell>
              {isOwner && (
                <Cell align="right">
                  <div className="flex justify-end gap-2">
                    <Button size="small" aria-label={`Replace ${name}`} onClick={() => setSetting(name)}>
                      Replace
                    </Button>
                    {used_by.length === 0 && (
                      <Button size="small" aria-label={`Remove ${name}`} onClick={() => setRemoving(name)}>
                        Remove
                      </Button>
                    )}
                  </div>
                </Cell>
              )}
            </tr>
          ))}
        </Table>
      )}
      {setting !== null && <SecretDialog name={setting} onClose={() => setSetting(null)} />}
      {removing !== null && <RemoveDialog name={removing} onClose={() => setRemoving(null)} />}
    </Card>
  )
}

function RemoveDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const act = useAct('POST /upstream-secrets/remove')
  return (
    <ActDialog
      danger
      title={`Remove ${name}`}
      about="No published version uses it. Older versions that use it can no longer be published."
      submitLabel="Remove"
      busyLabel="Removing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ name, reason }, { onSuccess: onClose })}
    />
  )
}
