import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { useNow } from '../../lib/use-now.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
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
  const { data: keys, error } = query
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
      flush
      footer={
        summary &&
        keys &&
        keys.length > summaryRows && (
          <Link to="/dashboard/api-keys" className="underline-offset-4 hover:underline">
            {keysText.all(keys.length)}
          </Link>
        )
      }
      aside={summary && mayManage && keys?.length !== 0 && <CreateLink />}
    >
      <QueryState query={query} failed={keysText.loadFailedToast}>
        <TableSkeleton stacked label={keysText.loading} />
      </QueryState>
      {keys?.length === 0 && !isKnown && <TableSkeleton stacked label={keysText.loading} />}
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
      {keys && keys.length > 0 && <KeyTable keys={summary ? busiest(keys) : keys} now={now} />}
    </Card>
  )
}

/** Those with the most calls. */
const busiest = (keys: ApiKey[]) => keys.toSorted((a, b) => b.usage_count - a.usage_count).slice(0, summaryRows)

const CreateLink = ({ look = 'secondary' }: { look?: 'primary' | 'secondary' }) => (
  <Link to="/dashboard/api-keys/new" className={buttonClass({ size: 'small', look })}>
    {keysText.create}
  </Link>
)
