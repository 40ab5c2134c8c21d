import { useEffect, useState } from 'react'
import { useSettings } from '../lib/settings.ts'

/** The longest time that a timer takes. */
const MOST_MS = 2 ** 31 - 1

/** What the operator tells everybody, above every page, until its time is over. */
export function Announcement() {
  const { banner } = useSettings()
  const [over, setOver] = useState(false)
  useEffect(() => {
    if (!banner) return
    const timer = setTimeout(() => setOver(true), Math.min(MOST_MS, Date.parse(banner.until) - Date.now()))
    return () => clearTimeout(timer)
  }, [banner])
  if (!banner || over) return null
  return (
    <aside
      aria-label="Announcement"
      className="border-b border-accent-line bg-accent-soft px-4 py-2 text-center break-words text-accent sm:px-6 print:hidden"
    >
      {banner.text}
    </aside>
  )
}
