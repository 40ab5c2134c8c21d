import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { maskKey, shortenKey } from '../../lib/mask.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { CopyIcon } from '../../ui/copy-icon.tsx'
import { SelectField } from '../../ui/field.tsx'
import { RevealButton } from '../../ui/reveal-button.tsx'
import { toast } from '../../ui/toast-store.ts'
import { useCopy } from '../../ui/use-copy.ts'
import { keysQuery } from '../keys/queries.ts'
import { mcpUrl } from './install.ts'
import { InstallTabs } from './install-tabs.tsx'
import { mcpText } from './text.ts'

/** Makes the address of the tool server for a chosen key, and the same as configuration of each AI client. */
export function McpCard() {
  const { publicUrl } = useSettings()
  const { data: keys, isPending } = useQuery(keysQuery)
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [revealed, setRevealed] = useState(false)
  const { copied, copy } = useCopy()

  // Until somebody chooses, the first key is chosen; '' is the choice of none.
  const key = chosenId === '' ? undefined : (keys?.find((one) => one.id === chosenId) ?? keys?.[0])
  const url = key ? mcpUrl(publicUrl, key.unkey) : ''

  const generate = () => {
    if (!key) return toast({ title: mcpText.selectFirst, tone: 'danger' })
    return copy(url, mcpText.generated)
  }

  return (
    <Card title={mcpText.title} about={mcpText.about}>
      <div className="flex flex-wrap gap-2">
        <SelectField
          label="API key"
          hideLabel
          className="min-w-48 flex-1"
          value={key?.id ?? ''}
          disabled={isPending || !keys?.length}
          onChange={(event) => setChosenId(event.target.value)}
        >
          <option value="">
            {isPending ? mcpText.loadingKeys : keys?.length ? mcpText.selectKey : mcpText.noKeys}
          </option>
          {keys?.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name.length > 40 ? `${one.name.slice(0, 39)}…` : one.name} ({shortenKey(one.unkey)})
            </option>
          ))}
        </SelectField>
        <Button look="primary" onClick={generate}>
          <CopyIcon copied={copied} />
          {mcpText.generate}
        </Button>
      </div>
      <CodeBlock
        className="mt-3"
        wrap
        label="MCP URL"
        code={key ? (revealed ? url : mcpUrl(publicUrl, '') + maskKey(key.unkey)) : `${publicUrl}/mcp`}
        action={
          key && (
            <span className="flex">
              <RevealButton revealed={revealed} onToggle={() => setRevealed(!revealed)} of="the MCP URL" />
              <CopyButton value={url} label="Copy the MCP URL" done={mcpText.copied} />
            </span>
          )
        }
      />
      {key && <InstallTabs publicUrl={publicUrl} apiKey={key.unkey} revealed={revealed} />}
    </Card>
  )
}
