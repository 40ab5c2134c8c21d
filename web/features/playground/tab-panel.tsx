import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import type { Tab } from './tab.ts'
import { type Places, scrollId, useKeptScroll } from './use-kept-scroll.ts'

/** The scrolling box of one tab. */
export function TabPanel({
  tab,
  places,
  className,
  children,
}: {
  tab: Tab
  places: Places
  className?: string
  children: ReactNode
}) {
  const box = useKeptScroll(places, tab)
  // Labels for screen readers alone are absolute: elsewhere they would lengthen the window by what is scrolled away.
  return (
    <div
      ref={box}
      {...scrollId(tab)}
      className={clsx(
        'relative min-h-0 flex-1 scroll-pb-8 overflow-y-auto p-4 lg:after:pointer-events-none lg:after:sticky lg:after:-bottom-4 lg:after:block lg:after:h-12 lg:after:bg-linear-to-t lg:after:from-surface lg:after:from-40%',
        className,
      )}
    >
      {children}
    </div>
  )
}
