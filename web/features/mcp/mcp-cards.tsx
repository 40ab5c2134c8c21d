import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { keysQuery } from '../keys/queries.ts'
import { InstallTabs } from './install-tabs.tsx'
import { McpUrl } from './mcp-url.tsx'
import { mcpText } from './text.ts'

/**
 * The tool server URL for a selected key, and ready-made configuration for AI clients: two cards of a grid. `quiet`: the
 * page's first action is elsewhere.
 */
export function McpCards({ quiet = false }: { quiet?: boolean }) {
  const { publicUrl } = useSettings()
  const { data: keys, isPending, isError } = useQuery(keysQuery)
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [revealed, setRevealed] = useState(false)

  // Initially the first key is selected; '' means that the user selected none.
  const key = chosenId === '' ? undefined : (keys?.find((one) => one.id === chosenId) ?? keys?.[0])

  return (
    <>
      <Card title={mcpText.title} about={mcpText.about}>
        <McpUrl
          publicUrl={publicUrl}
          keys={keys ?? []}
          loading={isPending}
          failed={isError && !keys}
          chosen={key}
          onChoose={setChosenId}
          revealed={revealed}
          onToggle={() => setRevealed(!revealed)}
          quiet={quiet}
        />
      </Card>
      {key && (
        <Card title={mcpText.clients} about={mcpText.clientsAbout} className="xl:col-span-2">
          <InstallTabs publicUrl={publicUrl} apiKey={key.unkey} revealed={revealed} />
        </Card>
      )}
    </>
  )
}
