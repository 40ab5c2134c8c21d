import { Link } from '@tanstack/react-router'
import type { PlaygroundServer } from '#contract/playground.ts'
import { useSettings } from '../../../lib/settings.ts'
import { visible } from '../../../lib/visible.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { CopyButton } from '../../../ui/copy/copy-button.tsx'
import { ExternalLink } from '../../../ui/external-link.tsx'
import { TriangleAlert } from '../../../ui/icons/docs.ts'
import { ownServer } from '../own-server.ts'
import { sectionClass } from '../section-class.ts'
import { serverLabel } from '../server-label.ts'
import { TabPanel } from '../tab-panel.tsx'
import { playgroundText as text } from '../text.ts'
import type { Playground } from '../use-playground.ts'
import { OtherServers } from './other-servers.tsx'

export function ServersTab({ playground }: { playground: Playground }) {
  const own = playground.servers.find(({ name }) => name === ownServer)
  return (
    <TabPanel tab="servers" places={playground.places} className="p-0!">
      <ServerCard name={ownServer} server={own} playground={playground} about={text.serverAbout}>
        {!own && !playground.connecting && (
          <div className="mt-4 border-t border-line pt-4">
            <h3 className="font-strong">Getting started</h3>
            <ol className="mt-1 list-decimal space-y-1 pl-5 text-muted">
              {text.gettingStarted.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </div>
        )}
      </ServerCard>
      {playground.signIns.map(({ name, url }) => (
        <SignInCard key={name} name={name} url={url} />
      ))}
      {playground.servers
        .filter(({ name }) => name !== ownServer)
        .map((server) => (
          <ServerCard key={server.name} name={server.name} server={server} playground={playground} />
        ))}
      <OtherServers playground={playground} />
    </TabPanel>
  )
}

/** The server provides this URL: open it only if it is http or https. */
function SignInCard({ name, url }: { name: string; url: string }) {
  return (
    <Card
      className={sectionClass}
      title={name}
      aside={
        <a href={url} rel="noreferrer" className={buttonClass({ look: 'primary', size: 'small' })}>
          {text.signIn}
        </a>
      }
    >
      <p className="text-muted">{text.signInAbout}</p>
      <p className="mt-2 font-mono text-small break-all">{new URL(url).origin}</p>
    </Card>
  )
}

/** A server can present one definition to be trusted and change it later. */
function Changes({ server, onRead }: { server: PlaygroundServer; onRead: () => void }) {
  return (
    <div role="alert" className="mb-3 flex gap-2 rounded-control border border-warning-line bg-warning-soft px-3 py-2">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warning" />
      <div className="min-w-0">
        <p>{text.changed}</p>
        <p className="mt-1 font-mono text-small break-words">
          {visible(server.changedTools.map(text.changedTool).join(', '))}
        </p>
        <Button size="small" className="mt-2" onClick={onRead}>
          {text.readChanges}
        </Button>
      </div>
    </div>
  )
}

interface ServerCardProps {
  name: string
  server: PlaygroundServer | undefined
  playground: Playground
  about?: string
  children?: React.ReactNode
}

function ServerCard({ name, server, playground, about, children }: ServerCardProps) {
  const { publicUrl, shop } = useSettings()
  const endpoint = server?.endpoint ?? `${publicUrl}/mcp`
  const { connecting, connect, disconnect, acceptChanges, failed, tools } = playground
  return (
    <Card
      className={sectionClass}
      title={serverLabel(name)}
      about={about}
      aside={
        server ? (
          <Button size="small" onClick={() => void disconnect(name)}>
            {text.disconnect}
          </Button>
        ) : (
          <Button size="small" look="primary" busy={connecting} onClick={() => void connect(name).catch(() => {})}>
            {text.connect}
          </Button>
        )
      }
    >
      {server?.definitionsChanged && <Changes server={server} onRead={() => void acceptChanges(name)} />}
      {server && (
        <div className="mb-4 flex flex-wrap gap-2">
          {name === ownServer && (
            <Link to="/dashboard/playground" className={buttonClass({ look: 'primary' })}>
              {text.askQuestion}
            </Link>
          )}
          <Link to="/dashboard/playground" search={{ tab: 'tools' }} className={buttonClass()}>
            {text.browseTools(tools.filter(({ serverName }) => serverName === name).length)}
          </Link>
        </div>
      )}
      {!server && connecting && <p className="mb-4 text-muted">{text.connectingTo}</p>}
      {failed?.name === name && (
        <p
          role="alert"
          className="mb-4 rounded-control border border-danger-line bg-danger-soft px-3 py-2 break-words text-danger"
        >
          {visible(failed.reason)}
        </p>
      )}
      <div className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 text-small">
        <p className="text-muted">{text.endpointAbout}</p>
        {name === ownServer && (
          <Link
            to="/dashboard"
            hash="connect-claude"
            className="text-accent underline-offset-4 hover:underline max-sm:col-span-full max-sm:row-start-3"
          >
            {text.setUpClient}
          </Link>
        )}
        <div className="col-span-full row-start-2 flex items-center gap-1 rounded-control border border-line bg-sunken py-0.5 pr-1 pl-3">
          <span className="min-w-0 flex-1 font-mono text-small break-all">
            {/^https?:/.test(endpoint) ? (
              <ExternalLink href={endpoint} className="underline underline-offset-2">
                {endpoint}
              </ExternalLink>
            ) : (
              endpoint
            )}
          </span>
          <CopyButton value={endpoint} label={text.copyEndpoint} done={text.endpointCopied} />
        </div>
      </div>
      <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-small">
        <dt className="text-muted">{text.protocolLabel}</dt>
        <dd>{text.protocol}</dd>
        {!shop.named && (
          <>
            <dt className="text-muted">{text.typeLabel}</dt>
            <dd>{text.type}</dd>
          </>
        )}
      </dl>
      {children}
    </Card>
  )
}
