import type { LedgerLine } from '#contract/operator/customers.ts'
import { Cell, HeadCell, StackedRow, Table } from '../../../ui/table.tsx'
import { count, utcTime } from '../../lib/format.ts'
import { ledgerWords } from './ledger-words.ts'

export const noLedger = { title: 'No entries yet', about: 'The first credits of this customer appear here.' }

export const LedgerTable = ({ lines }: { lines: readonly LedgerLine[] }) => (
  <Table
    stacked
    label="Credit ledger"
    head={
      <>
        <HeadCell>Time (UTC)</HeadCell>
        <HeadCell>What happened</HeadCell>
        <HeadCell align="right">Credits</HeadCell>
      </>
    }
  >
    {lines.map((line) => (
      <StackedRow key={line.id} className="align-top max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-x-3">
        <Cell className="whitespace-nowrap max-md:text-small max-md:text-muted">{utcTime(line.at)}</Cell>
        <Cell className="text-pretty max-md:order-1 max-md:col-span-2 md:w-full md:min-w-[30ch]">
          {ledgerWords(line)}
        </Cell>
        <Cell align="right">{line.delta > 0 ? `+${count(line.delta)}` : count(line.delta)}</Cell>
      </StackedRow>
    ))}
  </Table>
)
