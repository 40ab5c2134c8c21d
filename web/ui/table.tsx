import { clsx } from 'clsx'
import type { ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react'

interface TableProps {
  /** The table's name for screen readers. */
  label: string
  head: ReactNode
  /** On a phone each row is a block: rows are `StackedRow`s, and cells repeat the hidden header. */
  stacked?: boolean
  /** Many on one page, as in a conversation, are no landmarks. */
  landmark?: boolean
  children: ReactNode
}

/** A table that scrolls sideways inside its card on narrow screens. */
export function Table({ label, head, stacked = false, landmark = true, children }: TableProps) {
  return (
    <section
      role={landmark ? undefined : 'group'}
      aria-label={`${label}, table`}
      tabIndex={0}
      className="scroll-hint relative overflow-x-auto rounded-b-card -outline-offset-2"
    >
      {/* biome-ignore lint/a11y/noRedundantRoles: some browsers drop the table role when it is laid out as blocks */}
      <table role="table" className={clsx('w-full border-collapse text-left figures', stacked && 'max-md:block')}>
        <thead className={stacked ? 'max-md:sr-only' : undefined}>
          <tr className="border-y border-line bg-sunken text-small text-muted">{head}</tr>
        </thead>
        <tbody className={clsx('divide-y divide-line', stacked && 'max-md:block max-md:border-t max-md:border-line')}>
          {children}
        </tbody>
      </table>
    </section>
  )
}

/** A row of a stacked table; `className` places its cells on a phone. */
export function StackedRow({ className, children }: { className: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noRedundantRoles: see the table
    <tr role="row" className={clsx('max-md:px-5 max-md:py-3 max-md:*:p-0!', className)}>
      {children}
    </tr>
  )
}

export function HeadCell({
  className,
  align,
  ...rest
}: ThHTMLAttributes<HTMLTableCellElement> & { align?: 'left' | 'right' }) {
  return (
    <th
      scope="col"
      {...rest}
      className={clsx(
        'px-3 py-2 font-strong first:pl-5 last:pr-5 2xl:px-5 whitespace-nowrap',
        align === 'right' && 'text-right',
        className,
      )}
    />
  )
}

export function Cell({
  className,
  align,
  ...rest
}: TdHTMLAttributes<HTMLTableCellElement> & { align?: 'left' | 'right' }) {
  return (
    <td
      // biome-ignore lint/a11y/noRedundantRoles: see the table
      role="cell"
      {...rest}
      className={clsx('px-3 py-2.5 first:pl-5 last:pr-5 2xl:px-5', align === 'right' && 'text-right', className)}
    />
  )
}
