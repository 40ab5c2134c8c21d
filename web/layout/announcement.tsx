import { useEffect, useState } from 'react'
import type { Settings } from '../lib/settings.ts'

/** 23 days: a timer takes no longer time. */
const MOST_MS = 2e9

/** What the operator tells everybody, until its time is over. */
export default function Announcement({ banner }: { banner: NonNullable<Settings['banner']> }) {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Math.min(MOST_MS, Date.parse(banner.until) - Date.now()))
    return () => clearTimeout(timer)
  }, [banner])
  if (over) return null
  return (
    <aside
      aria-label="Announcement"
      className="border-b border-accent-line bg-accent-soft px-4 py-2 text-center break-words text-accent sm:px-6 print:hidden"
    >
      {banner.text}
    </aside>
  )
}
