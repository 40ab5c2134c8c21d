import { clsx } from 'clsx'
import type { ReactNode, TdHTMLAttributes, ThHTMLAttributes } from 'react'

/** A plain table that scrolls sideways inside its card when the screen is narrow. `label` names it for screen readers. */
export function Table({ label, head, children }: { label: string; head: ReactNode; children: ReactNode }) {
  return (
    <section
      aria-label={`${label}, table`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="scroll-hint relative overflow-x-auto rounded-b-card -outline-offset-2"
    >
      <table className="w-full border-collapse text-left figures">
        <thead>
          <tr className="border-y border-line bg-sunken text-small text-muted">{head}</tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </section>
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
        'px-3 py-2 font-strong first:pl-5 last:pr-5 sm:px-5 whitespace-nowrap',
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
      {...rest}
      className={clsx('px-3 py-2.5 first:pl-5 last:pr-5 sm:px-5', align === 'right' && 'text-right', className)}
    />
  )
}
