import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { formatDate, formatMoment, formatWhole } from '../../lib/format.ts'
import { ApiError } from '../../lib/http/api-error.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card, ChartCardPlace } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { ToolsCard } from '../usage/tools-card.tsx'
import { UsageCard } from '../usage/usage-card.tsx'
import { useMayManage } from '../workspaces/queries.ts'
import { BackToKeys } from './back-to-keys.tsx'
import { DeleteKey } from './delete-key.tsx'
import { KeyControls } from './key-controls.tsx'
import { KeySecret } from './key-secret.tsx'
import { NewKeyNotice } from './new-key-notice.tsx'
import { keyQuery } from './queries.ts'
import { RotateKey } from './rotate-key.tsx'
import { keysText } from './text.ts'

const CallsCard = lazy(() => import('../usage/calls-card.tsx'))

const heading = pageHeadings['/dashboard/api-keys/$keyId']

/** Detail page of a key, titled with its name. */
export function KeyPage({ keyId }: { keyId: string }) {
  const query = useQuery(keyQuery(keyId))
  const { data: key, error } = query
  const mayManage = useMayManage()
  if (error instanceof ApiError && error.status === 404) return <MissingKey />
  return (
    <>
      <PageHeader
        {...heading}
        title={key?.name || heading.title}
        back={<BackToKeys />}
        action={
          key &&
          mayManage && (
            <div className="flex gap-2">
              <RotateKey apiKey={key} />
              <DeleteKey apiKey={key} />
            </div>
          )
        }
      />
      <NewKeyNotice of={keyId} />
      <Card title={keysText.details}>
        <QueryState
          query={query}
          loading="Loading API key..."
          bars={['h-14 w-full', 'h-10 w-3/4', 'h-10 w-1/2 xl:hidden']}
          failed="The API key could not be loaded"
        />
        {key && <Facts apiKey={key} />}
      </Card>
      {!key && !error && <ChartCardPlace />}
      {key && <UsageCard of={key} />}
      {key && <ToolsCard keyId={key.id} />}
      {key && mayManage && <KeyControls key={key.id} apiKey={key} />}
      {key && (
        <Suspense fallback={<div className="h-96 rounded-card border border-line bg-surface" />}>
          <CallsCard key={key.id} keyId={key.id} />
        </Suspense>
      )}
    </>
  )
}

function Facts({ apiKey }: { apiKey: ApiKey }) {
  return (
    <dl className="grid grid-cols-2 gap-x-8 gap-y-4 xl:grid-cols-4">
      <Fact name="Key" wide>
        <KeySecret apiKey={apiKey} wide />
      </Fact>
      <Fact name="Created">{formatDate(apiKey.created_at)}</Fact>
      <Fact name={keysText.usageCount}>{formatWhole(apiKey.usage_count)}</Fact>
      <Fact name={keysText.lastUsed}>{formatMoment(apiKey.last_used_at, keysText.never)}</Fact>
      {apiKey.previous_until !== null && (
        <Fact name={keysText.previousUntil}>{formatMoment(apiKey.previous_until)}</Fact>
      )}
      {apiKey.last_used_address !== null && (
        <Fact name="Last used by">
          <span className="break-words">
            {[apiKey.last_used_address, apiKey.last_used_client].filter(Boolean).join(', ')}
          </span>
        </Fact>
      )}
    </dl>
  )
}

function Fact({ name, wide, children }: { name: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? 'col-span-full' : 'min-w-0'}>
      <dt className="text-small text-muted">{name}</dt>
      <dd className="mt-0.5 figures">{children}</dd>
    </div>
  )
}

function MissingKey() {
  return (
    <>
      <PageHeader title={keysText.notFound} about={keysText.notFoundAbout} />
      <div className="rounded-card border border-line bg-surface">
        <EmptyState
          title="Deleted or in another workspace"
          about="If the key is in another of your workspaces, switch to that one."
          action={
            <Link to="/dashboard/api-keys" className={buttonClass()}>
              All API keys
            </Link>
          }
        />
      </div>
    </>
  )
}
