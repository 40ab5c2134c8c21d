import { Card } from '../../../../ui/card.tsx'
import { Checkbox } from '../../../../ui/form/checkbox.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import { CredentialFields } from './credential-fields.tsx'
import { defaultPrice, type Manifest, withDefaults } from './manifest.ts'

interface ApiCardProps {
  manifest: Manifest
  onChange: (manifest: Manifest) => void
  /** An id never changes: it stands in paths and names of tools. */
  isNew: boolean
  /** Of the description: the name unless another is set. */
  title: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What is the same for every operation: name, address, credential, price. */
export function ApiCard({ manifest, onChange, isNew, title }: ApiCardProps) {
  const set = (key: string, value: unknown) => onChange({ ...manifest, [key]: value })
  const field = (key: 'id' | 'name' | 'base') => ({
    value: textOf(manifest[key]),
    onChange: ({ target }: { target: { value: string } }) => set(key, target.value || undefined),
  })
  const price = defaultPrice(manifest)
  const host = URL.parse(textOf(manifest.base))?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const hosts = Array.isArray(manifest.private_hosts) ? manifest.private_hosts.map(String) : []
  return (
    <Card title="2. API" about="Customers call it under this path, and over MCP with tools that have this prefix.">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="ID"
          hint={`Paths start with /v1/${textOf(manifest.id)}/.${isNew ? ' It cannot be changed later.' : ''}`}
          readOnly={!isNew}
          {...field('id')}
        />
        <TextField
          label="Name"
          hint="Shown on pages and in the documentation."
          placeholder={title}
          {...field('name')}
        />
        <TextField label="API URL" hint="Where this installation sends calls." inputMode="url" {...field('base')} />
        {(price === undefined || typeof price === 'number') && (
          <TextField
            label="Credits per call"
            hint="For each operation without its own price."
            inputMode="numeric"
            value={price ?? ''}
            onChange={(event) => {
              const digits = event.target.value.replaceAll(/\D/g, '')
              onChange(withDefaults(manifest, { credits: digits === '' ? undefined : Number(digits) }))
            }}
          />
        )}
        <CredentialFields manifest={manifest} onChange={onChange} />
        {host !== '' && (
          <div className="self-end sm:col-span-2">
            <Checkbox
              label={`${host} is in our own network. Allow private addresses and calls without TLS.`}
              checked={hosts.includes(host)}
              onChange={(event) =>
                set('private_hosts', event.target.checked ? [...hosts, host] : hosts.filter((one) => one !== host))
              }
            />
          </div>
        )}
      </div>
    </Card>
  )
}
