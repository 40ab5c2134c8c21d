import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

export function MissingPage() {
  return (
    <>
      <PageHeader title="Page not found" about="The console has no page at this address." />
      <Link to="/" className={buttonClass()}>
        Go to Today
      </Link>
    </>
  )
}
