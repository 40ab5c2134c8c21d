import { Link } from '@tanstack/react-router'
import { useSession } from '../../lib/auth/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { keepPending } from '../auth/pending.ts'

interface ChoosePlanProps {
  plan: { name: string; type: string }
  popular?: boolean
}

/** From a plan's card to Billing, for visitors by way of the sign-in. */
export function ChoosePlan({ plan, popular = false }: ChoosePlanProps) {
  const { user } = useSession()
  return (
    <Link
      to={user ? '/dashboard/billing' : '/login'}
      onClick={() => user || keepPending('page', '/dashboard/billing/')}
      className={buttonClass({ look: popular ? 'primary' : 'secondary', wide: true })}
    >
      {plan.type === 'free' ? 'Start for free' : `Choose ${plan.name}`}
    </Link>
  )
}
