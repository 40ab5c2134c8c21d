import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { ChevronRight } from '../../ui/icons/public.ts'
import { keysQuery } from '../keys/queries.ts'
import { InstallTabs } from './install-tabs.tsx'
import { McpUrl } from './mcp-url.tsx'
import { mcpText } from './text.ts'

/**
 * The tool server URL for a selected key, and ready-made configuration for AI clients: two cards of a grid. `quiet`: the
 * page's first action is elsewhere. `folded`: one card, for those who have connected a client.
 */
export function McpCards({ quiet = false, folded = false }: { quiet?: boolean; folded?: boolean }) {
  const { publicUrl } = useSettings()
  const { data: keys, isPending, isError } = useQuery(keysQuery)
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [revealed, setRevealed] = useState(false)

  // Initially the first key is selected; '' means that the user selected none.
  const key = chosenId === '' ? undefined : (keys?.find((one) => one.id === chosenId) ?? keys?.[0])

  const tabs = key && <InstallTabs publicUrl={publicUrl} apiKey={key.unkey} revealed={revealed} />
  return (
    <>
      <Card
        title={mcpText.title}
        about={mcpText.about}
        footer={
          folded &&
          tabs && (
            <details className="group">
              <summary className="-my-1 flex min-h-7 w-fit list-none items-center gap-1.5 rounded-control font-strong text-ink [&::-webkit-details-marker]:hidden">
                <ChevronRight
                  aria-hidden="true"
                  className="size-4 transition-transform duration-150 group-open:rotate-90"
                />
                {mcpText.clients}
              </summary>
              <div className="pt-3 pb-2">{tabs}</div>
            </details>
          )
        }
      >
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
          wide={folded}
        />
      </Card>
      {tabs && !folded && (
        <Card title={mcpText.clients} about={mcpText.clientsAbout} className="xl:col-span-2">
          {tabs}
        </Card>
      )}
    </>
  )
}
