import type { ReactNode } from 'react'

/** What an action does, and its button. */
export const ActionRow = ({ children, action }: { children: ReactNode; action: ReactNode }) => (
  <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 border-line py-4 not-first:border-t first:pt-0">
    <div className="min-w-0 flex-1 basis-72">{children}</div>
    {action}
  </div>
)
