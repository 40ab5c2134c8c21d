import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useEffect, useState } from 'react'
import { formatWhole } from '../../lib/format.ts'
import { useSettings } from '../../lib/settings.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { creditsBefore } from '../credits/credits-before.ts'
import { creditsQuery } from '../credits/queries.ts'
import { holdNewKey } from '../keys/new-key.ts'
import { keysQuery } from '../keys/queries.ts'
import { currentSubscription, hasPaidPlan } from '../plans/current-plan.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { takeFirstKey } from './queries.ts'
import type { ReturnSearch } from './return-search.ts'
import { billingText as text } from './text.ts'

const pollMs = 2000
const patienceMs = 30_000

/** Reports the result of a payment. The browser returns before the payment is confirmed, so this polls until it is. */
export function CheckoutReturn() {
  const search = useSearch({ strict: false }) as ReturnSearch
  const navigate = useNavigate()
  const [returned, setReturned] = useState(search)
  // A reload or a shared link must not show it again.
  useEffect(() => {
    if (!search.checkout && !search.topup) return
    setReturned(search)
    void navigate({ to: '/dashboard/billing', search: {}, replace: true, resetScroll: false })
  }, [search, navigate])
  if (returned.checkout === 'cancelled' || returned.topup === 'cancelled')
    return <Message tone="neutral" words={text.returned.cancelled} />
  if (returned.checkout) return <PlanPaid />
  if (returned.topup) return <CreditsPaid />
  return null
}

function PlanPaid() {
  const { data } = useQuery(subscriptionQuery)
  const isTrial = currentSubscription(data)?.provider_status === 'trialing'
  useFirstKey(hasPaidPlan(data))
  return <Confirmation confirmed={hasPaidPlan(data)} words={isTrial ? text.returned.trial : text.returned.paid} />
}

/** The plan's first key: where keys are shown only once it is created now, so that the buyer sees its value. */
function useFirstKey(paid: boolean): void {
  const client = useQueryClient()
  const once = useSettings().keysReveal === 'once'
  const mayManage = useMayManage()
  useEffect(() => {
    if (!paid) return
    const take = async () => {
      const key = once && mayManage ? await takeFirstKey() : null
      await client.invalidateQueries({ queryKey: keysQuery.queryKey })
      if (key) holdNewKey(key)
    }
    take().catch(() => toast({ title: text.returned.noKey, tone: 'danger' }))
  }, [paid, once, mayManage, client])
}

function CreditsPaid() {
  const { data } = useQuery(creditsQuery)
  const [before] = useState(creditsBefore.read)
  const confirmed = data !== undefined && (before === null || data.unlimited || data.remaining > before)
  const balance = data && !data.unlimited ? ` ${text.returned.balance(formatWhole(data.remaining))}` : ''
  return <Confirmation confirmed={confirmed} words={text.returned.bought + balance} />
}

function Confirmation({ confirmed, words }: { confirmed: boolean; words: string }) {
  const client = useQueryClient()
  const [late, setLate] = useState(false)
  useEffect(() => {
    const ask = () => void client.invalidateQueries({ queryKey: ['billing'] })
    ask()
    if (confirmed) {
      // Stripe may tell of the payment, which brings the credits, after it has told of the plan.
      const again = [pollMs, 5 * pollMs].map((ms) => setTimeout(ask, ms))
      return () => again.forEach(clearTimeout)
    }
    const asking = setInterval(ask, pollMs)
    const patience = setTimeout(() => {
      clearInterval(asking)
      setLate(true)
    }, patienceMs)
    return () => {
      clearInterval(asking)
      clearTimeout(patience)
    }
  }, [client, confirmed])
  if (confirmed) return <Message tone="success" words={words} />
  return <Message tone="neutral" busy={!late} words={late ? text.returned.late : text.returned.waiting} />
}

function Message({ tone, words, busy = false }: { tone: 'success' | 'neutral'; words: string; busy?: boolean }) {
  return (
    <div
      role="status"
      className={clsx(
        'flex items-center gap-3 rounded-card border px-5 py-3',
        tone === 'success' ? 'border-success-line bg-success-soft text-success' : 'border-line bg-surface',
      )}
    >
      {busy && <Spinner />}
      {words}
    </div>
  )
}
