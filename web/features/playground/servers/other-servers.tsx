import { type FormEvent, useEffect, useState } from 'react'
import { shopName } from '../../../lib/shop.ts'
import { visible } from '../../../lib/visible.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextArea, TextField } from '../../../ui/form/field.tsx'
import { ownServer } from '../own-server.ts'
import { playgroundApi, type ServerCredentials, type Servers } from '../playground-api.ts'
import { sectionClass } from '../section-class.ts'
import { playgroundText as text } from '../text.ts'
import type { Playground } from '../use-playground.ts'

/** Servers that the operator offers and, if allowed, any server by URL. Renders nothing if there are none. */
export function OtherServers({ playground }: { playground: Playground }) {
  const [known, setKnown] = useState<Servers | null>(null)
  const { failed } = playground
  const connected = playground.servers.map(({ name }) => name)
  useEffect(() => {
    void playgroundApi.servers().then(setKnown, () => {})
  }, [])
  const offered = known?.offered.filter(({ command }) => !connected.includes(command)) ?? []
  if (!known || (offered.length === 0 && !known.urlsAllowed)) return null
  return (
    <Card className={sectionClass} title={text.otherServers} about={text.otherServersAbout(shopName())}>
      {offered.length > 0 && (
        <div className="mb-3 flex flex-wrap gap-2">
          {offered.map(({ command, title }) => (
            <Button key={command} onClick={() => void playground.connect(command, command).catch(() => {})}>
              Connect {title}
            </Button>
          ))}
        </div>
      )}
      {known.urlsAllowed && <AddressForm playground={playground} />}
      {failed && failed.name !== ownServer && (
        <p role="alert" className="mt-3 break-words text-danger">
          {visible(failed.reason)}
        </p>
      )}
    </Card>
  )
}

function AddressForm({ playground }: { playground: Playground }) {
  const [address, setAddress] = useState('')
  const [headers, setHeaders] = useState('')
  const [clientId, setClientId] = useState('')
  const [clientSecret, setClientSecret] = useState('')
  const [error, setError] = useState<string | null>(null)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readHeaders(headers)
    setError(read.ok ? null : text.headersWrong(read.line))
    if (!read.ok) return
    const name = URL.canParse(address) ? new URL(address).hostname : 'server'
    const credentials: ServerCredentials = {
      ...(headers.trim() !== '' && { headers: read.headers }),
      ...(clientId !== '' && { clientId }),
      ...(clientId !== '' && clientSecret !== '' && { clientSecret }),
    }
    void playground.connect(name, address, credentials).then(
      () => {
        for (const clear of [setAddress, setHeaders, setClientId, setClientSecret]) clear('')
      },
      () => {},
    )
  }

  return (
    <form onSubmit={submit} className="space-y-3">
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label={text.address}
          type="url"
          required
          placeholder="https://mcp.example.com/mcp"
          value={address}
          onChange={(event) => setAddress(event.target.value)}
          className="min-w-56 flex-1"
        />
        <Button type="submit" busy={playground.connecting}>
          {text.connect}
        </Button>
      </div>
      <details>
        <summary className="cursor-pointer">{text.credentials}</summary>
        <p className="mt-2 text-small text-muted">{text.credentialsAbout}</p>
        <TextArea
          label={text.headers}
          className="mt-3"
          rows={2}
          autoComplete="off"
          placeholder="X-API-Key: ..."
          value={headers}
          onChange={(event) => setHeaders(event.target.value)}
        />
        <div className="mt-3 grid gap-3 sm:grid-cols-2">
          <TextField
            label={text.clientId}
            autoComplete="off"
            value={clientId}
            onChange={(event) => setClientId(event.target.value)}
          />
          <TextField
            label={text.clientSecret}
            type="password"
            autoComplete="off"
            value={clientSecret}
            onChange={(event) => setClientSecret(event.target.value)}
          />
        </div>
      </details>
      <p role="alert" className="text-danger empty:hidden">
        {error}
      </p>
    </form>
  )
}

type Read = { ok: true; headers: Record<string, string> } | { ok: false; line: string }

function readHeaders(lines: string): Read {
  const headers: Record<string, string> = {}
  for (const line of lines.split('\n').map((one) => one.trim())) {
    if (line === '') continue
    const found = /^([A-Za-z0-9-]+):\s*([\x20-\x7e]+)$/.exec(line)
    if (!found) return { ok: false, line }
    headers[found[1]!] = found[2]!
  }
  return { ok: true, headers }
}
