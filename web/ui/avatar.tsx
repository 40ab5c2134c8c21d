import { clsx } from 'clsx'
import { useState } from 'react'
import type { SessionUser } from '../lib/session.ts'

/** The letter in place of a missing picture: the first of the e-mail address, else U. */
export function avatarLetter(email: string | null | undefined): string {
  return [...(email ?? '')][0]?.toUpperCase() ?? 'U'
}

/** The person's picture, or their letter when there is none or it does not load. Decorative: the name is beside it. */
export function Avatar({ user, className = 'size-8' }: { user: SessionUser | null; className?: string }) {
  const [failedUrl, setFailedUrl] = useState<string | null>(null)
  const url = user?.avatarUrl
  const shape = clsx('shrink-0 rounded-full border border-line', className)
  if (url && url !== failedUrl)
    return (
      <img
        src={url}
        alt=""
        width={64}
        height={64}
        loading="lazy"
        referrerPolicy="no-referrer"
        onError={() => setFailedUrl(url)}
        className={clsx(shape, 'object-cover')}
      />
    )
  return (
    <span aria-hidden="true" className={clsx(shape, 'grid place-items-center bg-sunken font-strong text-muted')}>
      {avatarLetter(user?.email)}
    </span>
  )
}
