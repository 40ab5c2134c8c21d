import { useState } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { RevealButton } from '../../ui/reveal-button.tsx'
import { SecretText } from '../../ui/secret-text.tsx'
import { isWholeKey } from './queries.ts'
import { keysText } from './text.ts'

/**
 * A key's value, masked until revealed, with a copy button. It takes the room of the revealed value from the start: two
 * lines, or one if `wide`. Neither button is shown if the server withholds the full value.
 */
export function KeySecret({ apiKey, wide = false }: { apiKey: ApiKey; wide?: boolean }) {
  const [revealed, setRevealed] = useState(false)
  const whole = isWholeKey(apiKey.unkey)
  // The server withholds the rest: the value is short and stays on one line in a narrow table.
  if (!whole) return <code className="whitespace-nowrap font-mono text-small">{apiKey.unkey}</code>
  return (
    <span className="flex min-w-0 items-center gap-1">
      <SecretText
        value={apiKey.unkey}
        revealed={revealed}
        className={wide ? 'w-full max-w-[42ch]' : 'max-md:flex-1 md:w-[21ch]'}
      />
      <span className="flex shrink-0">
        <RevealButton revealed={revealed} onToggle={() => setRevealed(!revealed)} of={`the key ${apiKey.name}`} />
        <CopyButton value={apiKey.unkey} label={`Copy the key ${apiKey.name}`} done={keysText.copied} />
      </span>
    </span>
  )
}
