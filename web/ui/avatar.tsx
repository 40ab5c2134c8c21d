import { clsx } from 'clsx'
import { useState } from 'react'
import type { SessionUser } from '../lib/auth/session.ts'

/** The letter shown without a picture: the first of the email, else U. */
export function avatarLetter(email: string | null | undefined): string {
  return [...(email ?? '')][0]?.toUpperCase() ?? 'U'
}

/** The user's picture, or a letter if it is missing or does not load. Decorative: the name is next to it. */
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
