import { clsx } from 'clsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { sellText as text } from './text.ts'

/** A command to copy into a terminal. `first`: what the page wants most. */
export function Command({ label, code, first = false }: { label: string; code: string; first?: boolean }) {
  return (
    <CodeBlock
      label={label}
      code={unbroken(code)}
      wrap
      ground={first ? 'surface' : 'sunken'}
      className={clsx(
        '[&_pre]:text-pretty [&_pre]:break-normal',
        first && 'shadow-raised sm:[&_pre]:p-4 sm:[&_pre]:text-body [&>figcaption]:py-1.5 [&>figcaption]:pr-1.5',
      )}
      action={
        <CopyTextButton
          look={first ? 'secondary' : 'quiet'}
          size="small"
          value={code}
          label={text.copy}
          done={text.copied}
        />
      }
    />
  )
}

/** A hyphen is no place to break a line, but a word may be longer than one. */
const unbroken = (code: string) =>
  code.split(/(\s+)/).map((word, index) =>
    index % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: words never move
      <span key={index} className="inline-block max-w-full">
        {word}
      </span>
    ) : (
      word
    ),
  )
