import type { LedgerLine } from '#contract/operator/customers.ts'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { count, utcTime } from '../../lib/format.ts'
import { ledgerWords } from './ledger-words.ts'

export const LedgerTable = ({ lines }: { lines: readonly LedgerLine[] }) => (
  <Table
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
      <tr key={line.id} className="align-top">
        <Cell className="whitespace-nowrap">{utcTime(line.at)}</Cell>
        <Cell className="w-full min-w-[30ch] text-pretty">{ledgerWords(line)}</Cell>
        <Cell align="right">{line.delta > 0 ? `+${count(line.delta)}` : count(line.delta)}</Cell>
      </tr>
    ))}
  </Table>
)
