import { Link } from '@tanstack/react-router'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import type { Data } from '../../lib/api.ts'
import { count, utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { type Columns, col, figure, shownOr } from '../../ui/columns.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Facts } from './facts.tsx'
import { grantNames } from './ledger-words.ts'

type Receipt = Data<'GET /receipts/{id}'>
type Units = NonNullable<NonNullable<Receipt['price']>['units']>
const credits = (value: number) => (value === 1 ? '1 credit' : `${count(value)} credits`)

/** One call, with what explains its charge. */
export function ReceiptPage() {
  const id = useRouteId()
  const query = useRead('GET /receipts/{id}', { params: { id } })
  return (
    <>
      <PageHeader title="Receipt" about={id} />
      <Loaded query={query} what="receipt" bars={['h-40', 'h-40']}>
        {(receipt) => (
          <>
            <Card
              title="Call"
              aside={
                <Badge tone={receipt.status === 'success' ? 'success' : 'danger'}>{statusNames[receipt.status]}</Badge>
              }
            >
              <Facts facts={callFacts(receipt)} />
            </Card>
            <Card title="Charge">
              <Facts facts={chargeFacts(receipt)} />
            </Card>
            <Card title="Grants burned" about={settledText(receipt)} flush={receipt.settlement !== null}>
              {receipt.settlement && receipt.settlement.burned.length > 0 && (
                <Rows
                  label="Grants burned"
                  columns={burnedOf(receipt.customer.id)}
                  rows={receipt.settlement.burned}
                  keyOf={(one) => one.ledger_id}
                />
              )}
            </Card>
            {receipt.reports.length > 0 && (
              <Card title="What the customer reported">
                <ul className="space-y-2">
                  {receipt.reports.map((report) => (
                    <li key={report.at}>
                      <span className="text-muted">{utcTime(report.at)}</span> {report.event}: “{report.message}”
                    </li>
                  ))}
                </ul>
              </Card>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

/** What a settlement took from each grant of the customer with this public id. */
const burnedOf = (id: string): Columns<NonNullable<Receipt['settlement']>['burned'][number]> => [
  col('Grant', (one) => one.grant_id),
  col('From', 'rest', ({ grant_kind: kind }) => (
    <span className="inline-block first-letter:uppercase">{grantNames[kind] ?? kind}</span>
  )),
  figure('Burned', (one) => one.credits),
  figure('Before', (one) => one.before),
  figure('After', (one) => one.after),
  col('Invoice', 'line', (one) =>
    shownOr(
      one.invoice_id && (
        <Link to="/customers/$id/invoices" params={{ id }} className="underline underline-offset-4">
          {one.invoice_number ?? one.invoice_id}
        </Link>
      ),
      'Not bought',
    ),
  ),
]

const statusNames = {
  success: 'Successful',
  failed: 'Failed',
  voided: 'Voided: the caller got a 503, because the result was not known in time',
  unknown: 'Failed or voided',
} as const

const callFacts = (receipt: Receipt) =>
  [
    ['Time (UTC)', receipt.at.replace('T', ' ').replace('Z', '')],
    [
      'Customer',
      <Link
        key="customer"
        to="/customers/$id"
        params={{ id: receipt.customer.id }}
        className="underline underline-offset-4"
      >
        {receipt.customer.owner_email ?? receipt.customer.name}
      </Link>,
    ],
    [
      'Key',
      receipt.key ? `${receipt.key.name}, ${receipt.key.masked}` : 'None: called from the playground',
      receipt.key?.deleted_at ? `Deleted ${utcTime(receipt.key.deleted_at)}` : undefined,
    ],
    ['Tool', <code key="tool">{receipt.tool}</code>, 'Arguments are not stored.'],
    ['Duration', `${count(receipt.duration_ms)} ms in the tool`],
    [
      'Idempotency-Key',
      receipt.idempotency
        ? receipt.idempotency.replayed
          ? 'Sent; a retry got the same response'
          : 'Sent; not retried'
        : 'None, or older than 24 hours',
    ],
    [
      'Batch',
      <code key="batch" className="text-small">
        {receipt.batch.id}
      </code>,
      `Call ${receipt.batch.n} of ${count(receipt.batch.calls)}, of ${receipt.batch.accounts === 1 ? '1 customer' : `${count(receipt.batch.accounts)} customers`}; median ${count(receipt.batch.median_ms)} ms, longest ${count(receipt.batch.longest_ms)} ms.`,
    ],
    ...(receipt.archived ? [['Stored', 'In the archive'] as const] : []),
  ] as const

function chargeFacts(receipt: Receipt) {
  const { price } = receipt
  return [
    [
      'Charge',
      credits(receipt.credits),
      `${count(receipt.from_credits)} of the balance, ${count(receipt.from_payg)} pay-as-you-go.${receipt.customer.unlimited ? ' The customer is unlimited now.' : ''}`,
    ],
    [
      price?.since ? 'Price at that time' : 'Current price of the tool',
      price ? price.text : 'None: the tool was removed',
      price && !price.fits
        ? `The charge differs: ${price.since ? '' : 'the price has changed since, or '}the response was cached or empty.`
        : undefined,
    ],
    [
      'Units',
      price?.units
        ? price.units.from === price.units.to
          ? `${count(price.units.to)} ${price.units.name}`
          : `${count(price.units.from)} to ${count(price.units.to)} ${price.units.name}`
        : 'Not counted',
      price?.units ? unitsText(price.units, receipt.credits) : undefined,
    ],
    [
      'Balance',
      `${count(receipt.balance_before)} before, ${count(receipt.balance_after)} after`,
      "Computed backward from today's balance.",
    ],
    ...(receipt.restored_credits > 0
      ? [['Given back', credits(receipt.restored_credits), 'For all calls of the customer in this batch.'] as const]
      : []),
  ] as const
}

/** How the units come to the charge, as in "3 × 2 credits". */
function unitsText(units: Units, charged: number): string {
  if (charged === 0 && units.to === 0) return 'Stored with the call.'
  if (units.to === 0) return 'The response had nothing to count. The price has a charge for that.'
  const sum = `${count(units.portions)} × ${credits(units.credits_each)}`
  const full = units.portions * units.credits_each
  if (full < charged) return 'The response could not be counted to its end. The price has a charge for that.'
  const less = full > charged ? `, of which ${credits(charged)} ${charged === 1 ? 'was' : 'were'} charged` : ''
  return `${sum}${less}. ${units.stored ? 'Stored with the call.' : 'Computed from the charge and this price.'}`
}

function settledText({ settlement, from_credits }: Receipt): string {
  if (from_credits === 0) return 'Nothing: this call took no credits from the balance.'
  if (!settlement) return 'Not yet: burned credits are taken from the grants about once a minute.'
  const others = settlement.calls === null ? null : settlement.calls - 1
  const together =
    others === null
      ? 'together with other calls of the customer'
      : others === 0
        ? 'for this call alone'
        : `together with ${count(others)} other ${others === 1 ? 'call' : 'calls'} of the customer`
  return `Settled ${utcTime(settlement.at)} UTC, ${together}.`
}
