import { clsx } from 'clsx'
import type { ApiKey } from '#contract/keys.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { sectionClass } from './section-class.ts'
import { ChargeTo } from './servers/charge-to.tsx'
import { TabPanel } from './tab-panel.tsx'
import { playgroundText as text } from './text.ts'
import type { Playground } from './use-playground.ts'
import { openings } from './use-preferences.ts'

const features = [
  'Questions, tools, resources and prompts',
  'Results as chart, table and JSON',
  'A log with cost, receipt and code of each call',
]

interface SettingsTabProps {
  playground: Playground
  keys: ApiKey[]
  keyId: string | null
  /** '' selects none. */
  onChooseKey: (id: string) => void
  /** Puts a command into the chat, without sending it. */
  onAsk: (line: string) => void
}

/** The user's preferences, an introduction to the playground, and the questions that the chat understands. */
export function SettingsTab({ playground, keys, keyId, onChooseKey, onAsk }: SettingsTabProps) {
  const { links } = useSettings()
  const { preferences, choose, messages, log } = playground
  const negotiated = [...new Set(playground.servers.map(({ protocolVersion }) => protocolVersion))].join(', ')
  return (
    <TabPanel tab="settings" places={playground.places} className="p-0!">
      <div className="grid border-b border-line xl:grid-cols-2">
        <Card
          className={clsx(sectionClass, 'max-xl:border-b! xl:border-r! xl:border-b-0!')}
          title={text.preferences}
          about={text.preferencesAbout}
        >
          <div className="space-y-4">
            <ChargeTo keys={keys} keyId={keyId} onChoose={onChooseKey} />
            <SelectField
              label={text.openAs}
              value={preferences.openAs}
              onChange={(event) => choose({ openAs: openings.find((one) => one === event.target.value) ?? 'chart' })}
            >
              {openings.map((one) => (
                <option key={one} value={one}>
                  {text.openings[one]}
                </option>
              ))}
            </SelectField>
            <div>
              <Checkbox
                label={text.suggestSymbols}
                checked={preferences.suggestSymbols}
                onChange={(event) => choose({ suggestSymbols: event.target.checked })}
              />
              <p className="mt-1 text-small text-muted">{text.suggestSymbolsAbout}</p>
            </div>
            <div className="flex flex-wrap gap-2 border-t border-line pt-4">
              <Button size="small" disabled={messages.length === 0} onClick={playground.clearMessages}>
                {text.clearMessages}
              </Button>
              <Button size="small" disabled={log.length === 0} onClick={playground.clearLog}>
                {text.clearLog}
              </Button>
            </div>
          </div>
        </Card>
        <Card className={sectionClass} title="Playground">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
            <dt className="text-muted">Version</dt>
            <dd>1.0.0</dd>
            <dt className="text-muted">Protocol version</dt>
            <dd>
              <span>2024-11-05</span> <span className="text-muted">(oldest supported)</span>
            </dd>
            <dt className="text-muted">Negotiated</dt>
            <dd>{negotiated || 'Not connected'}</dd>
            <dt className="text-muted">Real-time updates</dt>
            <dd>{playground.stream}</dd>
          </dl>
          <h3 className="mt-4 font-strong">Features</h3>
          <ul className="mt-1 list-disc space-y-1 pl-5 text-muted">
            {features.map((feature) => (
              <li key={feature}>{feature}</li>
            ))}
          </ul>
        </Card>
      </div>
      <Card className={sectionClass} title="Chat commands" about={text.commandsAbout}>
        <ul className="grid gap-x-6 gap-y-2 sm:grid-cols-2 xl:grid-cols-3">
          {playground.commands.map(({ command, about }) => (
            <li key={command} className="min-w-0">
              <button
                type="button"
                aria-label={text.putCommand(command)}
                className="rounded-control py-1 text-left font-mono text-small break-words underline decoration-line-strong underline-offset-4 hover:decoration-ink pointer-coarse:min-h-11"
                onClick={() => onAsk(command)}
              >
                {command}
              </button>
              <p className="text-small text-muted">{about}</p>
            </li>
          ))}
        </ul>
      </Card>
      <Card className={sectionClass} title="Resources">
        <ul className="space-y-1">
          {[
            { name: 'Documentation', href: links.docs },
            { name: 'MCP Tools', href: links.toolsDocs },
            { name: 'Model Context Protocol', href: 'https://modelcontextprotocol.io' },
          ].map(({ name, href }) => (
            <li key={name}>
              <ExternalLink href={href} className="underline underline-offset-2">
                {name}
              </ExternalLink>
            </li>
          ))}
        </ul>
      </Card>
    </TabPanel>
  )
}
