import { type ReactNode, useState } from 'react'
import { copyable } from '../../lib/clipboard.ts'
import { useSettings } from '../../lib/settings.ts'
import { shopSlug } from '../../lib/shop.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { httpRequest } from '../snippets/http-request.ts'
import { ChoiceButtons } from './choice-buttons.tsx'
import type { Choice } from './choices.ts'
import { homeText as text } from './text.ts'

const codes = ['curl', 'javascript', 'python', 'mcp'] as const
type Code = (typeof codes)[number]

interface CallCodeProps {
  call: Choice
  apiKey: string
  action: ReactNode
  /** Whether the code is there in each language, else only as curl. */
  languages?: boolean
}

/** The code for a call, with one action. */
export function CallCode({ call, apiKey, action, languages = true }: CallCodeProps) {
  const { publicUrl } = useSettings()
  const [code, chooseCode] = useState<Code>('curl')
  const shown = codeOf(code, publicUrl, call, apiKey)
  return (
    <>
      {languages && (
        <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
          <ChoiceButtons
            label={text.language}
            className="flex flex-wrap"
            options={codes.map((one) => ({
              name: text.codes[one],
              chosen: one === code,
              choose: () => chooseCode(one),
            }))}
          />
          {action}
        </div>
      )}
      <CodeBlock
        label={text.places[code]}
        action={
          <span className="flex items-center gap-1">
            <CopyTextButton look="quiet" size="small" value={copyable(shown)} label={text.copy} done={text.copied} />
            {!languages && action}
          </span>
        }
        code={shown}
        className="flex-1"
      />
    </>
  )
}

function codeOf(code: Code, publicUrl: string, choice: Choice, key: string): string {
  if (code !== 'mcp') return httpRequest(code, publicUrl + choice.path, key)
  return [
    `claude mcp add --transport http ${shopSlug()} "${publicUrl}/mcp?apikey=${key}"`,
    '',
    `> ${choice.tool} ${JSON.stringify(choice.arguments)}`,
  ].join('\n')
}
