import { type ReactNode, type Ref, useEffect, useRef } from 'react'
import { fullTitle, renderedTitle } from '../lib/page-title.ts'

let firstPage = true

/** Sets the document title and, except on the first page of a visit, focuses the heading. */
export function usePageHeading(title: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  if (typeof document === 'undefined') renderedTitle.value = fullTitle(title)
  useEffect(() => {
    document.title = fullTitle(title)
  }, [title])
  useEffect(() => {
    if (!firstPage) heading.current?.focus({ preventScroll: true })
    firstPage = false
  }, [])
  return heading
}

interface PageHeaderProps {
  title: string
  /** The page that this one is of, as a link above the title. */
  back?: ReactNode
  about: string
  /** The page's primary action. */
  action?: ReactNode
}

/** Title, one sentence, and the primary action on the right. */
export function PageHeader(props: PageHeaderProps) {
  return <HeadingRow {...props} heading={usePageHeading(props.title)} />
}

/** The heading of a page that is still loading: sets only the server-rendered title and moves no focus. */
export function ComingPageHeader(props: PageHeaderProps) {
  if (typeof document === 'undefined') renderedTitle.value = fullTitle(props.title)
  return <HeadingRow {...props} />
}

function HeadingRow({ title, back, about, action, heading }: PageHeaderProps & { heading?: Ref<HTMLHeadingElement> }) {
  return (
    <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        {back}
        <h1 ref={heading} tabIndex={-1} className="text-title font-strong">
          {title}
        </h1>
        <p className="mt-0.5 text-muted">{about}</p>
      </div>
      {action}
    </div>
  )
}
