import { clsx } from 'clsx'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { selectClass } from '../../ui/form/control-class.ts'
import { Cell, HeadCell, StackedRow, Table } from '../../ui/table.tsx'
import { comparison, products } from './comparison-facts.ts'
import { sellText } from './text.ts'

const text = sellText.comparison

/** Rows that a phone shows at first. */
const FIRST = 3

/** Questions by row, products by column; on a phone each question is a block with our answer and that of one other. */
export function ComparisonTable() {
  const [other, setOther] = useState(1)
  const [all, setAll] = useState(false)
  return (
    <>
      <div className="mb-2 grid grid-cols-2 items-center gap-x-3 px-5 md:hidden">
        <span className="font-strong text-accent">{products[0]}</span>
        <select
          aria-label={text.other}
          value={other}
          onChange={({ target }) => setOther(Number(target.value))}
          className={selectClass}
        >
          {products.slice(1).map((name, index) => (
            <option key={name} value={index + 1}>
              {name}
            </option>
          ))}
        </select>
      </div>
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
          {comparison.map(({ question, answers }, row) => (
            <StackedRow
              key={question}
              className={clsx(
                'max-md:grid-cols-2 max-md:gap-x-3 max-md:gap-y-1',
                all || row < FIRST ? 'max-md:grid' : 'max-md:hidden',
              )}
            >
              <Cell className="font-strong max-md:col-span-2 md:min-w-48">{question}</Cell>
              {answers.map((answer, index) => (
                <Cell
                  key={products[index]}
                  className={clsx(
                    index === 0 ? 'font-strong text-accent md:bg-accent-soft' : 'text-muted',
                    index > 0 && index !== other && 'max-md:hidden',
                  )}
                >
                  {answer}
                </Cell>
              ))}
            </StackedRow>
          ))}
        </Table>
      </div>
      {!all && (
        <Button className="mt-2 w-full md:hidden" onClick={() => setAll(true)}>
          {text.all(comparison.length)}
        </Button>
      )}
    </>
  )
}
