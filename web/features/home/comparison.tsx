import { ComparisonTable } from '../../ui/comparison-table.tsx'
import { comparison, products, read } from './comparison-facts.ts'
import { detailsText as text } from './details-text.ts'

/** What Finmeter does beside what others say that they do, with the date of reading. */
export function Comparison() {
  return (
    <>
      <ComparisonTable label={text.comparison} question={text.question} products={products} rows={comparison} />
      <p className="mt-3 text-small text-pretty text-muted">{read}</p>
      <p className="mt-6 max-w-[80ch] text-pretty">
        {text.speed} <code className="rounded-[6px] bg-sunken px-1.5 py-0.5 font-mono text-small">npm run bench</code>
      </p>
    </>
  )
}
