import type { ReactNode } from 'react'
import { maskKey } from '../../lib/mask.ts'
import { breakable } from '../../ui/breakable.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { SheetKey, useSheetKey } from './sheet-key.tsx'
import { sheetsText as text } from './text.ts'

const placeholder = 'YOUR_API_KEY'

interface FormulaCardProps<T extends string> {
  program: T
  programs: readonly { value: T; label: string }[]
  onChange: (program: T) => void
  label: string
  code: (key: string) => string
  steps: readonly ReactNode[]
}

/** The formula, and beside it a preview of what it reads. */
export const SheetColumns = ({ children }: { children: ReactNode }) => (
  <div className="grid gap-5 xl:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">{children}</div>
)

/** What is pasted into the sheet, with the key that it contains. */
export function FormulaCard<T extends string>({
  program,
  programs,
  onChange,
  label,
  code,
  steps,
}: FormulaCardProps<T>) {
  const { value } = useSheetKey()
  return (
    <Card title={text.formula} about={text.keyAbout}>
      <SheetKey />
      <div className="mt-5">
        <Segments label={text.program} look="wrap" value={program} options={programs} onChange={onChange} />
      </div>
      <CodeBlock
        className="mt-3"
        label={label}
        wrap
        code={breakable(code(value ? maskKey(value) : placeholder))}
        action={
          <CopyTextButton
            look="quiet"
            size="small"
            value={code(value ?? placeholder)}
            label={text.copy}
            done={text.copied}
          />
        }
      />
      <ol className="mt-4 max-w-[80ch] list-decimal space-y-1.5 pl-5 marker:text-muted">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a program never move
          <li key={index}>{step}</li>
        ))}
      </ol>
      <p className="mt-4">
        <a href="/docs/spreadsheets" className="text-accent underline-offset-4 hover:underline">
          {text.guide}
        </a>
      </p>
    </Card>
  )
}
