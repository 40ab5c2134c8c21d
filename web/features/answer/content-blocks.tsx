import { visible } from '../../lib/visible.ts'
import { ExternalLink } from '../../ui/external-link.tsx'
import { JsonBlock } from './json-block.tsx'

/** A block of MCP content from a server; nothing in it can be trusted. */
export interface Block {
  type?: unknown
  text?: unknown
  data?: unknown
  blob?: unknown
  mimeType?: unknown
  uri?: unknown
  name?: unknown
  resource?: unknown
}

const images = /^image\/(png|jpeg|gif|webp)$/
const sounds = /^audio\/[a-z0-9.+-]+$/
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** Renders MCP content by type: text, images, audio, links, resources. Fetches nothing. */
export function ContentBlocks({ blocks }: { blocks: readonly Block[] }) {
  return (
    <div className="mt-2 space-y-2">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no identity and never change
        <OneBlock key={index} block={block} />
      ))}
    </div>
  )
}

function OneBlock({ block }: { block: Block }) {
  const { type, text, uri, name, resource } = block
  if (type === 'resource' && typeof resource === 'object' && resource !== null) return <Document block={resource} />
  if (type === 'resource_link' && typeof uri === 'string')
    return (
      <p className="break-all">
        {/^https?:/.test(uri) ? (
          <ExternalLink href={uri} className="underline underline-offset-2">
            {visible(uri)}
          </ExternalLink>
        ) : (
          <code className="font-mono text-small">{visible(uri)}</code>
        )}
        {typeof name === 'string' && <span className="text-muted"> · {visible(name)}</span>}
      </p>
    )
  if (type === 'text' && typeof text === 'string') return <Words text={text} />
  return <Media block={block} data={block.data} />
}

/** A resource's content: text or bytes. */
function Document({ block }: { block: Block }) {
  const { uri, text, blob } = block
  return (
    <div>
      {typeof uri === 'string' && <p className="font-mono text-small break-all text-muted">{visible(uri)}</p>}
      {typeof text === 'string' ? <Words text={text} /> : <Media block={block} data={blob} />}
    </div>
  )
}

/** JSON is formatted; other text is shown unchanged. */
function Words({ text }: { text: string }) {
  const parsed = parse(text)
  if (parsed !== undefined) return <JsonBlock data={parsed} />
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-80 overflow-auto rounded-control border border-line bg-surface p-3 font-sans break-words whitespace-pre-wrap -outline-offset-2"
    >
      {visible(text)}
    </pre>
  )
}

function Media({ block, data }: { block: Block; data: unknown }) {
  const { mimeType } = block
  if (typeof mimeType !== 'string' || typeof data !== 'string' || !base64.test(data)) return <JsonBlock data={block} />
  const source = `data:${mimeType};base64,${data}`
  const label = `${mimeType}, ${Math.ceil((data.length * 3) / 4 / 1024)} KiB`
  if (images.test(mimeType))
    return <img src={source} alt={label} className="max-h-80 max-w-full rounded-control border border-line" />
  if (sounds.test(mimeType))
    return (
      // biome-ignore lint/a11y/useMediaCaption: a server's sound has no captions
      <audio controls src={source} aria-label={label} className="w-full max-w-md" />
    )
  return <p className="text-muted">{label}</p>
}

function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
