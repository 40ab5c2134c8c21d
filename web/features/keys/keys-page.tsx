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
 * The keys of the workspace. Without a plan, the four steps to a first key are above them; with one, the usage of the
 * first key is below.
 */
export function KeysPage() {
  const { data: subscription } = useQuery(subscriptionQuery)
  const { data: keys } = useQuery(keysQuery)
  const mayManage = useMayManage()
  const created = useNewKey()
  const first = keys?.[0]
  const needsPlan = subscription !== undefined && !mayUseKeys(subscription)
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
      {needsPlan && mayManage && <GetKeyCard quiet={created !== null} />}
      <KeysCard needsPlan={needsPlan} />
      {!needsPlan && first && <UsageCard of={first} course={null} />}
    </>
  )
}
