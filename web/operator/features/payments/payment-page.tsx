import { Link } from '@tanstack/react-router'
import { ApiError } from '../../../lib/http/api-error.ts'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { MissingPage } from '../../layout/missing-page.tsx'
import type { Data } from '../../lib/api.ts'
import { count, money, utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Facts } from '../customers/facts.tsx'
import { Bought, linkClass, PaymentState, reasonText } from './payment-text.tsx'
import { productText } from './search.ts'

type Payment = Data<'GET /payments/{id}'>

/** One payment of an agent: what it bought, and what became of its money. */
export function PaymentPage() {
  const id = useRouteId()
  const query = useRead('GET /payments/{id}', { params: { id } })
  if (query.error instanceof ApiError && [400, 404].includes(query.error.status)) return <MissingPage />
  return (
    <>
      <PageHeader title="Payment of an agent" about={id} />
      <Loaded query={query} what="payment" bars={['h-40', 'h-40']}>
        {(payment) => (
          <>
            <Card title="Purchase" aside={<PaymentState state={payment.state} />}>
              <Facts facts={purchaseOf(payment)} />
            </Card>
            <Card title="Transfer" about="The signature is never stored.">
              <Facts facts={transferOf(payment)} />
            </Card>
            <Card title="Steps (UTC)">
              <Facts facts={stepsOf(payment)} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  )
}

const code = (text: string) => <code className="font-mono text-small">{text}</code>

const purchaseOf = (payment: Payment) =>
  [
    ['Bought', productText[payment.product], payment.tool ? `Tool ${payment.tool}` : undefined],
    ['Amount', money(payment.micro_usd, 'usdc'), `${count(payment.credits)} credits`],
    ['Receipt or balance', <Bought key="bought" payment={payment} />],
    [
      'Recorded under',
      <Link key="account" to="/customers/$id" params={{ id: payment.account_id }} className={linkClass}>
        {payment.account_name}
      </Link>,
    ],
    ['Reason', payment.reason ? reasonText(payment.reason) : 'None'],
    ['Repeats', count(payment.repeats), 'The same answer, given again for nothing; five at most.'],
  ] as const

const transferOf = (payment: Payment) =>
  [
    ['Payer', code(payment.payer)],
    ['To', code(payment.pay_to)],
    ['Network', code(payment.network), payment.supplier],
    ['Token', code(payment.asset), `${payment.atomic} of its smallest units`],
    ['Nonce', code(payment.nonce)],
    ['Transaction', payment.reference ? code(payment.reference) : 'None known'],
  ] as const

const stepsOf = (payment: Payment) => {
  const at = (moment: string | null, none: string) => (moment ? utcTime(moment) : none)
  return [
    ['Claimed', utcTime(payment.at), payment.attempts > 1 ? `Attempt ${payment.attempts}` : undefined],
    ['Settlement begun', at(payment.settling_at, 'Not begun')],
    ['Decided', at(payment.decided_at, 'Not decided')],
    ['Last looked up', at(payment.looked_at, 'Never'), 'A job asks the chain about undecided payments each minute.'],
    ['Expires', utcTime(payment.valid_before), 'After this, nobody can send the transfer.'],
  ] as const
}
