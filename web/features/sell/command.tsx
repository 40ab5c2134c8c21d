import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { sellText as text } from './text.ts'

/** A command to copy into a terminal. */
export function Command({ label, code }: { label: string; code: string }) {
  return (
    <CodeBlock
      label={label}
      code={code}
      wrap
      action={<CopyTextButton look="quiet" size="small" value={code} label={text.copy} done={text.copied} />}
    />
  )
}
