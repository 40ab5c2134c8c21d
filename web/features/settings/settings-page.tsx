import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../lib/http/api-error.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { Card, CardPlace } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { profileQuery } from '../account/queries.ts'
import { AccountActionsCard } from './account-actions-card.tsx'
import { AlertWebhookCard } from './alert-webhook-card.tsx'
import { AlertsCard } from './alerts-card.tsx'
import { ProfileCard } from './profile-card.tsx'
import { SettingsTabs } from './settings-tabs.tsx'
import { settingsText as text } from './text.ts'
import { WorkspaceCard } from './workspace-card.tsx'

/** The user's account and the workspace's alerts. */
export function SettingsPage() {
  const { data, error, isPending, isFetching, refetch } = useQuery(profileQuery)
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/settings/']} />
      <SettingsTabs />
      {isPending && <SettingsSkeleton />}
      {error && !data && (
        <div className="rounded-card border border-line bg-surface">
          <ErrorState
            title={text.loadFailed}
            error={
              new ApiError(text.loadFailedAbout, error instanceof ApiError ? error : { code: 'unknown', status: 0 })
            }
            onRetry={refetch}
            retrying={isFetching}
          />
        </div>
      )}
      {data && (
        <>
          <ProfileCard user={data.user} />
          <WorkspaceCard workspace={data.workspace} />
          <div className="grid gap-5 xl:grid-cols-2">
            <AlertsCard mayChange={data.workspace.role !== 'member'} />
            {data.workspace.role !== 'member' && <AlertWebhookCard />}
          </div>
          <AccountActionsCard />
        </>
      )}
    </>
  )
}

/** The first cards, which fit on a screen. */
function SettingsSkeleton() {
  return (
    <>
      <Card title={text.account}>
        <Loading label={text.loading} className="space-y-5">
          <div className="flex items-center gap-4">
            <Skeleton className="size-16 rounded-full" />
            <div className="space-y-2">
              <Skeleton className="h-5 w-40" />
              <Skeleton className="h-4 w-52" />
            </div>
          </div>
          <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2 xl:grid-cols-[minmax(0,3fr)_minmax(0,5fr)_minmax(0,6fr)]">
            <Skeleton className="h-14 w-full" />
            <Skeleton className="h-14 w-full" />
            <Skeleton className="h-14 w-full" />
          </div>
        </Loading>
      </Card>
      <Card title={text.workspace} about={text.workspaceAbout}>
        <Skeleton className="h-10 w-64" />
      </Card>
      <div className="grid gap-5 xl:grid-cols-2">
        <Card title={text.alerts} about={text.alertsAbout}>
          <div className="space-y-3 pb-8">
            <Skeleton className="h-4 w-28" />
            <Skeleton className="h-9 w-56" />
          </div>
        </Card>
        <CardPlace />
      </div>
    </>
  )
}
