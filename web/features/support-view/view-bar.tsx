import { useEffect } from 'react'
import { leaveView, type View } from '../../lib/auth/view.ts'
import { useNow } from '../../lib/use-now.ts'
import { Button } from '../../ui/button.tsx'
import { viewText as text } from './text.ts'

/** Below every page of a view: whose pages these are, the time left, and the way out. */
export default function ViewBar({ of: { email, name, expiresAt } }: { of: View }) {
  const now = useNow(1_000)
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - now.getTime()) / 1_000))
  useEffect(() => {
    if (seconds === 0) void leaveView()
  }, [seconds])
  const left = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return (
    <aside
      aria-label={text.label}
      className="sticky bottom-0 z-40 flex items-center justify-center gap-4 border-t border-warning-line bg-warning-soft px-4 py-2 text-warning sm:px-6 print:hidden"
    >
      <p className="min-w-0 break-words">
        {text.viewing(email || name)} <span className="figures">{text.left(left)}</span>
      </p>
      <Button size="small" onClick={() => void leaveView()}>
        {text.end}
      </Button>
    </aside>
  )
}
