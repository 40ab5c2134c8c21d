import { Cell, HeadCell, StackedRow, Table } from '../../ui/table.tsx'
import { comparison, products } from './comparison-facts.ts'
import { sellText } from './text.ts'

const text = sellText.comparison

/** Questions by row, products by column; on a phone each question is a block that names them again. */
export function ComparisonTable() {
  return (
    <div className="overflow-hidden rounded-card border border-line bg-surface max-md:[&_tbody]:border-t-0 [&_thead_tr]:border-t-0">
      <Table
        stacked
        label={text.title}
        head={
          <>
            <HeadCell>{text.question}</HeadCell>
            {products.map((name) => (
              <HeadCell key={name}>{name}</HeadCell>
            ))}
          </>
        }
      >
        {comparison.map(({ question, answers }) => (
          <StackedRow key={question} className="max-md:grid max-md:grid-cols-3 max-md:gap-x-3 max-md:gap-y-2">
            <Cell className="font-strong max-md:col-span-3 md:min-w-48">{question}</Cell>
            {answers.map((answer, index) => (
              <Cell key={products[index]} className={index === 0 ? 'font-strong text-accent' : 'text-muted'}>
                <span className="block text-small font-normal text-muted md:hidden">{products[index]}</span>
                {answer}
              </Cell>
            ))}
          </StackedRow>
        ))}
      </Table>
    </div>
  )
}
