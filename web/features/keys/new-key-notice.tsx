import { useEffect } from 'react'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { holdCreatedKey, useCreatedKey } from './created-key.ts'
import { keysText } from './text.ts'

/** A new key that is shown only once, until confirmed. Leaving before that asks for confirmation. */
export function NewKeyNotice() {
  const created = useCreatedKey()
  useEffect(() => {
    if (!created) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [created])
  if (!created) return null
  return (
    <section aria-label="New API key" className="rounded-card border border-warning-line bg-warning-soft px-5 py-4">
      <h2 className="font-strong">Copy your new key now</h2>
      <p className="mt-0.5 text-muted">
        This installation shows a key only once. Store “{created.name}” somewhere safe.
      </p>
      <CodeBlock className="mt-3" label="API key" code={created.value} wrap />
      <div className="mt-3 flex flex-wrap gap-2">
        <CopyTextButton look="primary" value={created.value} label="Copy API key" done={keysText.copied} />
        <Button onClick={() => holdCreatedKey(null)}>I have stored it</Button>
      </div>
    </section>
  )
}
