import { lazy, Suspense, useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Search } from '../../ui/icons/public.ts'

const SearchPalette = lazy(() => import('./search-palette.tsx'))
const openEvent = 'console:search'
export const openSearch = () => dispatchEvent(new Event(openEvent))

/** Opens the search from anywhere in the console by Ctrl K, Cmd K or a button. */
export function SearchHost() {
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const abort = new AbortController()
    const { signal } = abort
    addEventListener(openEvent, () => setOpen(true), { signal })
    addEventListener(
      'keydown',
      (event) => {
        if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey)
          return
        event.preventDefault()
        setOpen(true)
      },
      { signal },
    )
    return () => abort.abort()
  }, [])
  return (
    open && (
      <Suspense>
        <SearchPalette onClose={() => setOpen(false)} />
      </Suspense>
    )
  )
}

export const SearchButton = () => (
  <Button onClick={openSearch}>
    <Search aria-hidden="true" className="size-4 text-muted" />
    <span className="max-sm:sr-only">Search</span>
    <kbd className="hidden text-small text-muted md:inline">Ctrl K</kbd>
  </Button>
)
