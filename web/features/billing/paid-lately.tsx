import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useNow } from '../../lib/use-now.ts'
import { paidText } from './paid-text.ts'
import { invoicesQuery } from './queries.ts'
import { billingText as text } from './text.ts'

const monthMs = 30 * 86_400_000

/** What was paid in the last 30 days. Its line is there before the sum is known. */
export function PaidLately({ currency }: { currency: string }) {
  const { data: invoices } = useQuery(invoicesQuery)
  const since = useNow(60_000).getTime() - monthMs
  const paid =
    invoices &&
    paidText(
      invoices.filter(({ created_at }) => Date.parse(created_at) >= since),
      currency,
    )
  return (
    <p className="mt-3 min-h-6">
      {paid !== undefined && (
        <>
          {text.paidLately} <span className="font-strong figures">{paid}</span>{' '}
          <Link
            to="/dashboard/billing/invoices"
            className="ml-2 inline-flex min-h-6 items-center text-accent underline-offset-4 hover:underline"
          >
            {text.invoices}
          </Link>
        </>
      )}
    </p>
  )
}
