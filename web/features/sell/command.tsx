import { clsx } from 'clsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { sellText as text } from './text.ts'

/** A command to copy into a terminal. It breaks between words. `first`: what the page wants most. */
export function Command({ label, code, first = false }: { label: string; code: string; first?: boolean }) {
  return (
    <CodeBlock
      label={label}
      code={code}
      wrap
      ground={first ? 'surface' : 'sunken'}
      className={clsx('[&_pre]:break-normal', first && 'shadow-raised sm:[&_pre]:p-4 sm:[&_pre]:text-body')}
      action={
        <CopyTextButton
          look={first ? 'primary' : 'quiet'}
          size="small"
          value={code}
          label={text.copy}
          done={text.copied}
        />
      }
    />
  )
}
