import { clsx } from 'clsx'
import { Mark, ShopMark } from '../ui/logo.tsx'

/** The shop's mark and name; the server fills them in. */
export function DocsLogo({ tight = false }: { tight?: boolean }) {
  return (
    <span className="inline-flex items-center gap-2 text-prose font-strong tracking-tight">
      <div data-if="UNNAMED">
        <Mark />
      </div>
      <div data-if="NAMED">
        <ShopMark light="%LOGO%" dark="%LOGO_DARK%" />
      </div>
      <span className={clsx(tight && 'max-[26rem]:sr-only')}>%SHOP%</span>
    </span>
  )
}
