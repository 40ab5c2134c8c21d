import { Cell, HeadCell, Table } from './table.tsx'

interface ComparisonTableProps {
  /** The table's name for screen readers. */
  label: string
  /** The header of the first column. */
  question: string
  /** Ours is the first. */
  products: readonly string[]
  /** Answers in the order of `products`. */
  rows: readonly { question: string; answers: readonly string[] }[]
}

/** Questions by row, products by column. */
export function ComparisonTable({ label, question, products, rows }: ComparisonTableProps) {
  return (
    <div className="overflow-x-auto rounded-card border border-line bg-surface">
      <Table
        label={label}
        head={
          <>
            <HeadCell>{question}</HeadCell>
            {products.map((name) => (
              <HeadCell key={name}>{name}</HeadCell>
            ))}
          </>
        }
      >
        {rows.map((row) => (
          <tr key={row.question}>
            <Cell className="min-w-56 font-strong">{row.question}</Cell>
            {row.answers.map((answer, index) => (
              <Cell key={products[index]} className={index === 0 ? 'text-ink' : 'text-muted'}>
                {answer}
              </Cell>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  )
}
