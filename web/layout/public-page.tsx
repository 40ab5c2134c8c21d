import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { usePageHeading } from '../ui/page-header.tsx'
import { PublicLayout } from './public-layout.tsx'

interface PublicPageProps {
  title: string
  about: ReactNode
  /** `narrow` is for reading, `wide` for cards. */
  width: 'narrow' | 'wide'
  children: ReactNode
}

/** A public page: standard header and footer, title, one sentence, content. */
export function PublicPage({ title, about, width, children }: PublicPageProps) {
  const heading = usePageHeading(title)
  return (
    <PublicLayout>
      <div className={clsx('mx-auto w-full px-4 py-10 sm:px-6 sm:py-14', width === 'wide' ? 'max-w-6xl' : 'max-w-3xl')}>
        <h1 ref={heading} tabIndex={-1} className="text-headline font-strong">
          {title}
        </h1>
        <p className="mt-2 max-w-[64ch] text-prose text-muted">{about}</p>
        <div className="mt-8 space-y-10">{children}</div>
      </div>
    </PublicLayout>
  )
}
