import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import { ChoiceField } from '../../../ui/choice-field.tsx'
import { secretsQuery } from '../queries.ts'
import { SecretDialog } from '../secret-dialog.tsx'
import type { Manifest } from './manifest.ts'

type Kind = 'none' | 'header' | 'query' | 'bearer' | 'basic' | 'oauth'
interface Credential {
  kind: Kind
  /** Of the header, the parameter, the user or the client. */
  name: string
  secret: string
  rest: Record<string, unknown>
}

const labels: Record<Kind, string> = {
  none: 'None',
  header: 'In a header',
  query: 'In the query string',
  bearer: 'Bearer token',
  basic: 'Basic (user and password)',
  oauth: 'OAuth client credentials',
}
const names: Partial<Record<Kind, string>> = { header: 'Header', query: 'Parameter', basic: 'User', oauth: 'Client ID' }

/** How the API knows that a call comes from this installation. The value is in the secret store, never in the manifest. */
export function CredentialFields({
  manifest,
  onChange,
}: {
  manifest: Manifest
  onChange: (manifest: Manifest) => void
}) {
  const secrets = useQuery(secretsQuery)
  const [storing, setStoring] = useState(false)
  const credential = readAuth(manifest.auth)
  const { kind, name, secret } = credential
  const set = (change: Partial<Credential>) => onChange({ ...manifest, auth: writeAuth({ ...credential, ...change }) })
  const stored = secrets.data?.secrets.map((one) => `stored:${one.name}`) ?? []
  const known = secret === '' || stored.includes(secret) ? stored : [secret, ...stored]
  const kinds = (Object.keys(labels) as Kind[]).filter((one) => one !== 'oauth' || manifest.kind === 'mcp')
  return (
    <>
      <ChoiceField
        label="Credential"
        value={kind}
        options={Object.fromEntries(kinds.map((one) => [one, labels[one]]))}
        onChange={(next) => set({ kind: next })}
      />
      {names[kind] && (
        <TextField label={names[kind]} value={name} onChange={(event) => set({ name: event.target.value })} />
      )}
      {kind === 'oauth' && (
        <TextField
          label="Token URL"
          inputMode="url"
          value={String(credential.rest.token_url ?? '')}
          onChange={(event) => set({ rest: { ...credential.rest, token_url: event.target.value } })}
        />
      )}
      {kind !== 'none' && (
        <div className="flex items-end gap-2">
          <ChoiceField
            label="Secret"
            className="min-w-0 flex-1"
            value={secret}
            options={{
              '': 'Choose one',
              ...Object.fromEntries(
                known.map((one) => [
                  one,
                  one.startsWith('stored:') ? one.slice('stored:'.length) : `environment variable ${one}`,
                ]),
              ),
            }}
            onChange={(next) => set({ secret: next })}
          />
          <Button onClick={() => setStoring(true)}>Store a credential</Button>
        </div>
      )}
      {storing && (
        <SecretDialog name="" onClose={() => setStoring(false)} onStored={(one) => set({ secret: `stored:${one}` })} />
      )}
    </>
  )
}

function readAuth(auth: unknown): Credential {
  const given = (auth ?? {}) as Record<string, unknown>
  const one = (kind: Kind, name: unknown, secret: unknown, rest = {}): Credential => ({
    kind,
    name: String(name ?? ''),
    secret: String(secret ?? ''),
    rest,
  })
  if ('header' in given) {
    const { header, secret, ...rest } = given
    return one('header', header, secret, rest)
  }
  if ('query' in given) return one('query', given.query, given.secret)
  if ('bearer' in given) return one('bearer', '', given.bearer)
  const basic = given.basic as Record<string, unknown> | undefined
  if (basic) return one('basic', basic.user, basic.secret)
  const oauth = given.oauth as Record<string, unknown> | undefined
  if (!oauth) return one('none', '', '')
  const { client_id, secret, ...rest } = oauth
  return one('oauth', client_id, secret, rest)
}

function writeAuth({ kind, name, secret, rest }: Credential): unknown {
  if (kind === 'none') return undefined
  if (kind === 'header') return { ...('prefix' in rest && { prefix: rest.prefix }), header: name, secret }
  if (kind === 'query') return { query: name, secret }
  if (kind === 'bearer') return { bearer: secret }
  if (kind === 'basic') return { basic: { user: name, secret } }
  return { oauth: { ...rest, client_id: name, secret } }
}
