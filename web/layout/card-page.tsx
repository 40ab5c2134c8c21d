import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { PublicLayout } from './public-layout.tsx'

/** A public page with one card in the middle. `label` makes the card a named region. */
export function CardPage({ label, wide = false, children }: { label?: string; wide?: boolean; children: ReactNode }) {
  return (
    <PublicLayout>
      <div className="grid flex-1 place-items-center px-4 py-12">
        <section
          aria-label={label}
          className={clsx(
            'w-full rounded-card border border-line bg-surface p-6 sm:p-8',
            wide ? 'max-w-md' : 'max-w-sm',
          )}
        >
          {children}
        </section>
      </div>
    </PublicLayout>
  )
}
