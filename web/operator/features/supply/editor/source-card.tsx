import { useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { Card } from '../../../../ui/card.tsx'
import { TextArea, TextField } from '../../../../ui/form/field.tsx'
import { Segments } from '../../../../ui/segments.tsx'
import { useText } from '../../../lib/use-text.ts'
import { FileField } from '../../../ui/file-field.tsx'
import type { Manifest, Source } from './manifest.ts'

type Kind = 'text' | 'address' | 'server'

const kinds = [
  { value: 'text', label: 'Paste or choose a file' },
  { value: 'address', label: 'URL of a description' },
  { value: 'server', label: 'MCP server' },
] as const

/** The longest description that fits in a request. */
const MOST_CHARACTERS = 900_000

interface SourceCardProps {
  busy: boolean
  error: string | null
  /** Reads the description. The manifest has what the source itself says. */
  onRead: (source: Source, manifest: Manifest) => void
}

/** Where a description comes from: pasted text, a file, an address, or an MCP server that lists its own tools. */
export function SourceCard({ busy, error, onRead }: SourceCardProps) {
  const [kind, setKind] = useState<Kind>('text')
  const text = useText()
  const address = useText()
  const [price, setPrice] = useState('1')
  const read = () => {
    const given = (kind === 'text' ? text.value : address.value).trim()
    if (given === '')
      return kind === 'text' ? text.fail('Paste the description, or choose its file.') : address.fail('Enter the URL.')
    if (kind === 'text' && given.length > MOST_CHARACTERS)
      return text.fail(
        'This description has more than 900,000 characters. Add it on the command line: npm run upstream -- add',
      )
    const defaults = { credits: Number(price) }
    if (kind === 'text') onRead({ from: 'text', text: text.value }, { kind: 'openapi', defaults })
    else if (kind === 'address') onRead({ from: 'address', address: given }, { kind: 'openapi', defaults })
    else onRead({ from: 'server' }, { kind: 'mcp', base: given, defaults })
  }
  return (
    <Card
      title="1. Description"
      about="OpenAPI 3.0 or 3.1 or Swagger 2, in JSON or YAML. An MCP server describes itself."
      footer="Nothing is saved when the description is read."
    >
      <form
        noValidate
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy) read()
        }}
      >
        <Segments label="Source" look="wrap" value={kind} options={kinds} onChange={setKind} />
        {kind === 'text' ? (
          <>
            <TextArea
              label="Description"
              rows={10}
              placeholder={'openapi: 3.0.3\ninfo: { title: Acme prices, version: "1" }\npaths: ...'}
              {...text.field}
            />
            <FileField
              label="Or a file"
              accept=".json,.yaml,.yml"
              onChoose={async (file) => text.set(await file.text())}
            />
          </>
        ) : (
          <TextField
            label={kind === 'address' ? 'URL of the description' : 'URL of the MCP server'}
            hint={
              kind === 'address'
                ? 'Such as https://api.acme.example/openapi.json.'
                : 'With streamable HTTP, such as https://mcp.acme.example/mcp. A server that is started by a command needs a gateway in front of it: npx mcp-proxy.'
            }
            inputMode="url"
            {...address.field}
          />
        )}
        <TextField
          label="Credits per call"
          hint="For each operation, until you set another price."
          inputMode="numeric"
          className="max-w-sm"
          value={price}
          onChange={(event) => setPrice(event.target.value.replaceAll(/\D/g, ''))}
        />
        <p role="alert" className="text-danger empty:hidden">
          {error}
        </p>
        <Button type="submit" look="primary" busy={busy}>
          {busy ? 'Reading' : 'Read description'}
        </Button>
      </form>
    </Card>
  )
}
