import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { commandList } from './chat/command-list.ts'
import { TabPanel } from './tab-panel.tsx'
import { playgroundText as text } from './text.ts'
import type { Playground } from './use-playground.ts'

const features = [
  'Chat with commands and plain questions',
  'Tool forms, tests and results as table, chart and JSON',
  'Resources, templates and prompts with suggested values',
  'Protocol log with headers, credits, tokens, replay and snippets',
  'Warning when a server’s tool definitions change',
  'Real-time events',
]

/** Read-only information about this playground. */
export function SettingsTab({ playground }: { playground: Playground }) {
  const { links } = useSettings()
  const negotiated = [...new Set(playground.servers.map(({ protocolVersion }) => text.version(protocolVersion)))].join(
    ', ',
  )
  return (
    <TabPanel tab="settings" places={playground.places} className="space-y-4">
      <Card title="Playground">
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[12rem_minmax(0,1fr)]">
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
      </Card>
      <Card title="Features">
        <ul className="list-disc space-y-1 pl-5">
          {features.map((feature) => (
            <li key={feature}>{feature}</li>
          ))}
        </ul>
      </Card>
      <Card title="Chat Commands" about="Checked in this order. A question must match as a whole line.">
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[16rem_minmax(0,1fr)]">
          {commandList.map((one) => (
            <div key={one.command} className="contents">
              <dt className="font-mono text-small">{one.command}</dt>
              <dd className="text-muted">{one.about}</dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card title="Resources">
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
