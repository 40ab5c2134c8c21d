import { clsx } from 'clsx'
import { useEffect, useRef } from 'react'
import { copyable } from '../../lib/clipboard.ts'
import { useSettings } from '../../lib/settings.ts'
import { breakable } from '../../ui/breakable.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { useFocusHandover } from '../../ui/focus-near.ts'
import { snippet } from '../snippets/snippets.ts'
import { holdNewKey, type NewKey } from './new-key.ts'
import { type ReadyCall, useReadyCall } from './ready-call.ts'
import { keysText as text } from './text.ts'

interface NewKeyCardProps {
  created: NewKey
  /** The value is never shown again: leaving before it is confirmed asks for confirmation. */
  once: boolean
  /** Of the page that shows it. */
  path: string
}

/** A new key in full and a call with it, each with a copy button. It takes the focus, so that it is seen and heard. */
export default function NewKeyCard({ created, once, path }: NewKeyCardProps) {
  const { publicUrl } = useSettings()
  const ready = readyUse(created, publicUrl, useReadyCall())
  const section = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusHandover(section)
  useEffect(() => {
    created.shownAt = path
    heading.current?.focus({ preventScroll: true })
    section.current?.scrollIntoView({ block: 'nearest' })
  }, [created, path])
  useEffect(() => {
    if (!once) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [once])
  return (
    <section
      ref={section}
      aria-label={text.newKey}
      className={clsx(
        'scroll-mt-20 rounded-card border px-5 py-4',
        once ? 'border-warning-line bg-warning-soft' : 'border-success-line bg-surface',
      )}
    >
      <h2 ref={heading} tabIndex={-1} className="text-prose font-strong">
        {once ? text.copyNow : text.newValue}
      </h2>
      <p className="mt-0.5 break-words text-muted">{(once ? text.storeNow : text.showLater)(created.name)}</p>
      <CodeBlock
        className="mt-3"
        label="API key"
        code={created.value}
        wrap
        action={
          <CopyTextButton look="primary" size="small" value={created.value} label="Copy API key" done={text.copied} />
        }
      />
      {ready && (
        <CodeBlock
          className="mt-3"
          label={ready.label}
          code={breakable(ready.code)}
          wrap
          action={<CopyButton value={copyable(ready.code)} label={ready.copy} done={ready.done} />}
        />
      )}
      <Button className="mt-3" onClick={() => holdNewKey(null)}>
        {once ? text.stored : text.done}
      </Button>
    </section>
  )
}

/** What the key is good for, to use as it is: a call, or the URL for keys that are only for MCP. Null if it is not known. */
function readyUse({ scopes, value }: NewKey, publicUrl: string, call: ReadyCall | null | undefined) {
  if (scopes && !scopes.includes('rest') && !scopes.includes('read'))
    return { ...text.readyMcp, code: `${publicUrl}/mcp?apikey=${value}` }
  return call ? { ...text.readyCall, code: snippet('curl', publicUrl + call.path, value) } : null
}
