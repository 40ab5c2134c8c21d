import { useEffect, useRef } from 'react'
import { startSearch } from '../../docs/search.ts'
import { SearchDialog } from '../../docs/search-dialog.tsx'

/** The search dialog of the docs pages; opens each time `openCount` increases. */
export default function SearchHost({ openCount }: { openCount: number }) {
  const open = useRef<() => void>(null)
  useEffect(() => {
    const left = new AbortController()
    open.current = startSearch(left.signal)
    return () => left.abort()
  }, [])
  useEffect(() => {
    if (openCount > 0) open.current?.()
  }, [openCount])
  return <SearchDialog />
}
