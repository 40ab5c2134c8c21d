import type { ReactNode } from 'react'
import { fragmentOf } from '../lib/fragment.ts'
import { ChevronDown } from './icons/public.ts'

interface AccordionProps {
  /** Groups the questions: one of them is open at a time. */
  name: string
  items: readonly { title: string; content: ReactNode }[]
  /** Whether the first question is open at first. */
  firstOpen?: boolean
}

/** Questions that open one at a time, natively without a script. */
export function Accordion({ name, items, firstOpen = false }: AccordionProps) {
  return (
    <div className="divide-y divide-line rounded-card border border-line bg-surface">
      {items.map(({ title, content }, index) => (
        <details key={title} name={name} open={firstOpen && index === 0} className="group">
          <summary className="flex list-none items-start justify-between gap-4 rounded-card px-5 py-3.5 font-strong -outline-offset-2 hover:bg-hover [&::-webkit-details-marker]:hidden">
            {title}
            <ChevronDown
              aria-hidden="true"
              className="mt-0.5 size-4 shrink-0 text-muted transition-transform duration-150 group-open:rotate-180"
            />
          </summary>
          {/* Inside the content: find-in-page and links to it open the question. */}
          <div id={fragmentOf(title)} className="px-5 pb-4 text-pretty text-muted">
            {content}
          </div>
        </details>
      ))}
    </div>
  )
}
