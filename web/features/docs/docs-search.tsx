import { Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { docsText as text } from './text.ts'

const SearchHost = lazy(() => import('./search-host.tsx'))

/** The search of the documentation's pages, on the page where they begin; its code comes when it is asked for. */
export function DocsSearch() {
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    // Once it is there, the dialog listens for its keys itself.
    if (asked > 0) return
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setAsked(1)
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [asked])
  return (
    <>
      <button
        type="button"
        onClick={() => setAsked(asked + 1)}
        className="flex h-11 w-full items-center gap-2.5 rounded-control border border-line-strong bg-surface px-3 text-left text-muted transition-colors duration-150 hover:bg-hover md:w-80"
      >
        <Search aria-hidden="true" className="size-4" />
        <span className="flex-1">{text.search}</span>
        <kbd className="hidden text-small md:inline">Ctrl K</kbd>
      </button>
      <Suspense>{asked > 0 && <SearchHost asked={asked} />}</Suspense>
    </>
  )
}
