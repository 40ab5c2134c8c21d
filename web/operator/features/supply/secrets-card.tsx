import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { type Columns, col, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { secretsQuery } from './queries.ts'
import { SecretDialog } from './secret-dialog.tsx'

type Secret = Data<'GET /upstream-secrets'>['secrets'][number]

/** Names of the credentials that upstreams are sent. Values are never shown. */
export function SecretsCard({ isOwner }: { isOwner: boolean }) {
  const secrets = useQuery(secretsQuery)
  const [setting, setSetting] = useState<string | null>(null)
  const [removing, setRemoving] = useState<string | null>(null)
  const columns: Columns<Secret> = [
    col('Name', 'line', ({ name }) => <code className="font-mono">{name}</code>),
    col('Used by', 'rest', ({ used_by }) => used_by.join(', ') || 'No published version'),
    time('Changed (UTC)', (one) => one.changed_at),
    isOwner &&
      col('Change', ({ name, used_by }) => (
        <div className="flex gap-2">
          <Button size="small" aria-label={`Replace ${name}`} onClick={() => setSetting(name)}>
            Replace
          </Button>
          {used_by.length === 0 && (
            <Button size="small" aria-label={`Remove ${name}`} onClick={() => setRemoving(name)}>
              Remove
            </Button>
          )}
        </div>
      )),
  ]
  return (
    <>
      <List
        title="Stored credentials"
        about="Sent to the upstreams that use them, and never shown again. A new value is used within two seconds."
        aside={
          isOwner && (
            <Button size="small" onClick={() => setSetting('')}>
              Store a credential
            </Button>
          )
        }
        query={secrets}
        what="credentials"
        rows={secrets.data?.secrets ?? []}
        keyOf={({ name }) => name}
        columns={columns}
        empty={{
          title: 'No credentials are stored',
          about: 'An API can also use an environment variable of the servers.',
        }}
      />
      {setting !== null && <SecretDialog name={setting} onClose={() => setSetting(null)} />}
      {removing !== null && (
        <ActDialog
          line="POST /upstream-secrets/remove"
          danger
          title={`Remove ${removing}`}
          about="No published version uses it. Older versions that use it can no longer be published."
          submit="Remove"
          busy="Removing"
          input={() => ({ name: removing })}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  )
}
