import { Link } from '@tanstack/react-router'
import { ChevronRight } from '../../ui/icons/public.ts'
import { keysText } from './text.ts'

/** From the page of one key to the list. */
export const BackToKeys = () => (
  <Link
    to="/dashboard/api-keys"
    className="mb-1 inline-flex min-h-6 items-center gap-1 text-muted underline-offset-4 hover:text-ink hover:underline"
  >
    <ChevronRight aria-hidden="true" className="size-4 rotate-180" />
    {keysText.title}
  </Link>
)
