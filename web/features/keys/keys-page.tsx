import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { pageHeadings } from '../../lib/page-headings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { mayUseKeys } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { UsageCard } from '../usage/usage-card.tsx'
import { useMayManage } from '../workspaces/queries.ts'
import { GetKeyCard } from './get-key-card.tsx'
import { KeysCard } from './keys-card.tsx'
import { useNewKey } from './new-key.ts'
import { NewKeyNotice } from './new-key-notice.tsx'
import { keysQuery } from './queries.ts'
import { keysText } from './text.ts'

/**
 * The keys of the workspace. Without a plan, the four steps to a first key are above them, or instead of them if there
 * are none; with one, the usage of the first key is below.
 */
export function KeysPage() {
  const { data: subscription, isError } = useQuery(subscriptionQuery)
  const { data: keys } = useQuery(keysQuery)
  const mayManage = useMayManage()
  const created = useNewKey()
  const first = keys?.[0]
  const needsPlan = subscription ? !mayUseKeys(subscription) : isError ? false : undefined
  const invites = needsPlan && mayManage
  return (
    <>
      <PageHeader
        {...pageHeadings['/dashboard/api-keys/']}
        action={
          mayManage &&
          // An empty list has the button in it.
          keys?.length !== 0 && (
            <Link to="/dashboard/api-keys/new" className={buttonClass({ look: created ? 'secondary' : 'primary' })}>
              {keysText.create}
            </Link>
          )
        }
      />
      <NewKeyNotice />
      {invites && <GetKeyCard quiet={created !== null} none={keys?.length === 0} />}
      {!(invites && keys?.length === 0) && <KeysCard needsPlan={needsPlan} />}
      {needsPlan === false && first && <UsageCard of={first} />}
    </>
  )
}
