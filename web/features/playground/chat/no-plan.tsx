import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button.tsx'
import { isNewAccount } from '../../credits/is-new-account.ts'
import { creditsQuery } from '../../credits/queries.ts'
import { subscriptionQuery } from '../../plans/queries.ts'
import { playgroundText as text } from '../text.ts'

/** Says before the first call that a plan is missing, and leads to the plans. */
export default function NoPlan() {
  const { data: subscription } = useQuery(subscriptionQuery)
  const { data: credits } = useQuery(creditsQuery)
  if (!subscription || !credits || !isNewAccount(subscription, credits)) return null
  return (
    <div className="mx-auto mb-3 flex max-w-[45rem] items-center justify-between gap-3 rounded-control border border-accent-line bg-accent-soft py-1.5 pr-1.5 pl-3">
      <p>{text.noPlan}</p>
      <Link to="/dashboard/billing" hash="plans" className={buttonClass({ size: 'small', className: 'shrink-0' })}>
        {text.choosePlan}
      </Link>
    </div>
  )
}
