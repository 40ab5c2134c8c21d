import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import type { Usage } from '#contract/usage.ts'
import { useNow } from '../../lib/use-now.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { usageQuery } from '../usage/queries.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { KeyTable } from './key-table.tsx'
import { KeyUses } from './key-uses.tsx'
import { keysQuery } from './queries.ts'
import { keysText } from './text.ts'

const summaryRows = 5

interface KeysCardProps {
  /** Only the busiest, with a create button and a link to all. */
  summary?: boolean
  /** Whether the first key comes from a plan. Undefined until it is known. */
  needsPlan?: boolean | undefined
}

/** The workspace's keys, masked. */
export function KeysCard({ summary = false, needsPlan }: KeysCardProps) {
  const query = useQuery(keysQuery)
  const { error } = query
  // They would change places when their use is known.
  const usage = useQuery({ ...usageQuery('30d'), enabled: summary })
  const keys = summary && usage.isPending ? undefined : query.data
  const mayManage = useMayManage()
  const isKnown = summary || needsPlan !== undefined
  const now = useNow()
  useEffect(() => {
    if (!error) return
    if (summary) toast({ title: keysText.loadFailedToast, tone: 'danger' })
    else toast({ title: 'Error', description: keysText.loadFailed, tone: 'danger' })
  }, [error, summary])
  return (
    <Card
      title={summary || !keys?.length ? keysText.title : keysText.count(keys.length)}
      about={!summary && keys?.length !== 0 && keysText.order}
      flush
      aside={
        summary && (
          <span className="flex flex-wrap items-center gap-x-1 gap-y-2 max-sm:-ml-2.5">
            {keys && keys.length > summaryRows && (
              <Link to="/dashboard/api-keys" className={buttonClass({ look: 'quiet', size: 'small' })}>
                {keysText.all(keys.length)}
              </Link>
            )}
            {mayManage && keys?.length !== 0 && <CreateLink />}
          </span>
        )
      }
    >
      <QueryState query={{ ...query, data: keys }} failed={keysText.loadFailedToast}>
        <TableSkeleton stacked rows={5} label={keysText.loading} />
      </QueryState>
      {keys?.length === 0 && !isKnown && <TableSkeleton stacked rows={5} label={keysText.loading} />}
      {keys?.length === 0 && isKnown && (
        <EmptyState
          title={keysText.none}
          about={!mayManage ? keysText.managersOnly : needsPlan ? keysText.noneYet : keysText.noneAbout}
          action={mayManage && !needsPlan && <CreateLink look={summary ? 'secondary' : 'primary'} />}
        />
      )}
      {keys?.length === 0 && isKnown && !summary && (
        <div className="border-t border-line px-5 py-5">
          <KeyUses />
        </div>
      )}
      {keys && keys.length > 0 && <KeyTable keys={summary ? busiest(keys, usage.data) : keys} now={now} />}
    </Card>
  )
}

/** Those with the most calls of the last 30 days. */
function busiest(keys: ApiKey[], usage: Usage | undefined): ApiKey[] {
  const recent = new Map(
    usage?.analytics.map(({ unkeyId, data }) => [
      unkeyId,
      data.reduce((sum, { success, failed }) => sum + success + failed, 0),
    ]),
  )
  const calls = ({ id }: ApiKey) => recent.get(id) ?? 0
  return keys.toSorted((a, b) => calls(b) - calls(a) || b.usage_count - a.usage_count).slice(0, summaryRows)
}

const CreateLink = ({ look = 'secondary' }: { look?: 'primary' | 'secondary' }) => (
  <Link to="/dashboard/api-keys/new" className={buttonClass({ size: 'small', look })}>
    {keysText.create}
  </Link>
)
