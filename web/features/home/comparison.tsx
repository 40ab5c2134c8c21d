import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { comparison, products, read } from './comparison-facts.ts'
import { detailsText as text } from './details-text.ts'

/** What Finmeter does beside what others say that they do, with the date of reading. */
export function Comparison() {
  return (
    <>
      <div className="overflow-x-auto rounded-card border border-line bg-surface">
        <Table
          label={text.comparison}
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
            <tr key={question}>
              <Cell className="min-w-56 font-strong">{question}</Cell>
              {answers.map((answer, index) => (
                <Cell key={products[index]} className={index === 0 ? 'text-ink' : 'text-muted'}>
                  {answer}
                </Cell>
              ))}
            </tr>
          ))}
        </Table>
      </div>
      <p className="mt-3 text-small text-pretty text-muted">{read}</p>
      <p className="mt-6 max-w-[80ch] text-pretty">
        {text.speed} <code className="rounded-[6px] bg-sunken px-1.5 py-0.5 font-mono text-small">npm run bench</code>
      </p>
    </>
  )
}
