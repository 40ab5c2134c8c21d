import { lazy, Suspense, useEffect, useState } from 'react'
import { Search } from '../../ui/icons/public.ts'

const SearchHost = lazy(() => import('./search-host.tsx'))

/** The docs search outside the documentation; its code loads on first use. */
export function DocsSearch() {
  const [openCount, setOpenCount] = useState(0)
  useEffect(() => {
    // Once loaded, the dialog handles its keys itself.
    if (openCount > 0) return
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpenCount(1)
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [openCount])
  return (
    <>
      <button
        type="button"
        onClick={() => setOpenCount(openCount + 1)}
        className="flex h-11 w-full items-center gap-2.5 rounded-control border border-line-strong bg-surface px-3 text-left text-muted transition-colors duration-150 hover:bg-hover"
      >
        <Search aria-hidden="true" className="size-4" />
        <span className="flex-1">Search the documentation</span>
        <kbd className="hidden text-small md:inline">Ctrl K</kbd>
      </button>
      <Suspense>{openCount > 0 && <SearchHost openCount={openCount} />}</Suspense>
    </>
  )
}
