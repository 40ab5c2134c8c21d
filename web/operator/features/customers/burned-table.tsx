import { Link } from '@tanstack/react-router'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import type { Data } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { grantNames } from './ledger-words.ts'

interface BurnedTableProps {
  burned: NonNullable<Data<'GET /receipts/{id}'>['settlement']>['burned']
  /** Public id. */
  customer: string
}

/** What one settlement took from each grant. */
export const BurnedTable = ({ burned, customer }: BurnedTableProps) => (
  <Table
    label="Grants burned"
    head={
      <>
        <HeadCell>Grant</HeadCell>
        <HeadCell>From</HeadCell>
        <HeadCell align="right">Burned</HeadCell>
        <HeadCell align="right">Before</HeadCell>
        <HeadCell align="right">After</HeadCell>
        <HeadCell>Invoice</HeadCell>
      </>
    }
  >
    {burned.map((one) => (
      <tr key={one.ledger_id}>
        <Cell>{one.grant_id}</Cell>
        <Cell className="w-full whitespace-nowrap first-letter:uppercase">
          {grantNames[one.grant_kind] ?? one.grant_kind}
        </Cell>
        <Cell align="right">{count(one.credits)}</Cell>
        <Cell align="right">{count(one.before)}</Cell>
        <Cell align="right">{count(one.after)}</Cell>
        <Cell className="whitespace-nowrap">
          {one.invoice_id ? (
            <Link to="/customers/$id/invoices" params={{ id: customer }} className="underline underline-offset-4">
              {one.invoice_number ?? one.invoice_id}
            </Link>
          ) : (
            <span className="text-muted">Not bought</span>
          )}
        </Cell>
      </tr>
    ))}
  </Table>
)
