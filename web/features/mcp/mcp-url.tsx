import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ApiKey } from '#contract/keys.ts'
import { maskKey, shortenKey } from '../../lib/mask.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { CopyIcon } from '../../ui/copy/copy-icon.tsx'
import { useCopy } from '../../ui/copy/use-copy.ts'
import { SelectField } from '../../ui/form/field.tsx'
import { RevealButton } from '../../ui/reveal-button.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { isWholeKey } from '../keys/queries.ts'
import { mayUseKeys } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { mcpUrl } from './install.ts'
import { mcpText } from './text.ts'

interface McpUrlProps {
  publicUrl: string
  keys: ApiKey[]
  loading: boolean
  failed: boolean
  chosen: ApiKey | undefined
  onChoose: (id: string) => void
  revealed: boolean
  onToggle: () => void
  quiet: boolean
  /** The URL is beside the selector where there is room. */
  wide: boolean
}

const nameLimit = 40
const shortName = (name: string) => ([...name].length > nameLimit ? `${[...name].slice(0, nameLimit).join('')}…` : name)

/** The key selector, the button that generates and copies the URL, and the masked URL. */
export function McpUrl({
  publicUrl,
  keys,
  loading,
  failed,
  chosen,
  onChoose,
  revealed,
  onToggle,
  ...look
}: McpUrlProps) {
  const { quiet, wide } = look
  const { copied, copy } = useCopy()
  // If the server shows keys only once, the URL contains a placeholder to replace by hand.
  const whole = chosen !== undefined && isWholeKey(chosen.unkey)
  const url = mcpUrl(publicUrl, whole ? chosen.unkey : 'YOUR_API_KEY')

  const unready = !loading && keys.length === 0
  const generate = () => {
    if (!chosen) return toast({ title: mcpText.selectFirst, tone: 'danger' })
    return copy(url, whole ? mcpText.generated : mcpText.generatedWithoutKey)
  }

  return (
    <div className={wide ? 'grid items-start gap-x-5 xl:grid-cols-2' : ''}>
      <div className="flex flex-wrap gap-2">
        <SelectField
          label="API key"
          hideLabel
          className={`min-w-48 flex-1 ${wide ? 'basis-full' : 'basis-64'}`}
          value={chosen?.id ?? ''}
          disabled={loading || keys.length === 0}
          onChange={(event) => onChoose(event.target.value)}
        >
          <option value="">
            {loading
              ? mcpText.loadingKeys
              : failed
                ? mcpText.keysFailed
                : keys.length > 0
                  ? mcpText.selectKey
                  : mcpText.noKeys}
          </option>
          {keys.map((key) => (
            <option key={key.id} value={key.id}>
              {shortName(key.name)} ({shortenKey(key.unkey)})
            </option>
          ))}
        </SelectField>
        <Button look={unready || quiet ? 'secondary' : 'primary'} onClick={generate}>
          <CopyIcon copied={copied} plain={!quiet && !unready} />
          {mcpText.generate}
        </Button>
      </div>
      {unready && !failed && <KeyFirst />}
      {chosen && !whole && <p className="mt-3 text-muted">{mcpText.withoutKey}</p>}
      <CodeBlock
        className={wide ? 'mt-3 xl:col-start-2 xl:row-span-2 xl:row-start-1 xl:mt-0' : 'mt-3'}
        wrap
        label="MCP URL"
        code={!chosen ? `${publicUrl}/mcp` : whole && !revealed ? mcpUrl(publicUrl, '') + maskKey(chosen.unkey) : url}
        action={
          whole && (
            <span className="flex">
              <RevealButton revealed={revealed} onToggle={onToggle} of="the MCP URL" />
              <CopyButton value={url} label="Copy the MCP URL" done={mcpText.copied} />
            </span>
          )
        }
      />
    </div>
  )
}

/** What the URL needs before it can be generated. */
function KeyFirst() {
  const { data } = useQuery(subscriptionQuery)
  const mayManage = useMayManage()
  const linkClass = 'font-strong text-accent underline-offset-4 hover:underline'
  return (
    <p className="mt-3 text-muted">
      {mcpText.keyFirst}{' '}
      {!mayManage ? (
        mcpText.askManager
      ) : mayUseKeys(data) ? (
        <Link to="/dashboard/api-keys/new" className={linkClass}>
          {mcpText.createKey}
        </Link>
      ) : (
        <Link to="/dashboard/api-keys" className={linkClass}>
          {mcpText.getKey}
        </Link>
      )}
    </p>
  )
}
