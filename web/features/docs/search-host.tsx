import { useEffect, useRef } from 'react'
import { startSearch } from '../../docs/search.ts'
import { SearchDialog } from '../../docs/search-dialog.tsx'

/** The dialog of the documentation's pages; opens each time that `asked` grows. */
export default function SearchHost({ asked }: { asked: number }) {
  const open = useRef<() => void>(null)
  useEffect(() => {
    const left = new AbortController()
    open.current = startSearch(left.signal)
    return () => left.abort()
  }, [])
  useEffect(() => {
    if (asked > 0) open.current?.()
  }, [asked])
  return <SearchDialog />
}
