import { layoutText } from '../layout/text.ts'
import { buttonClass } from '../ui/button.tsx'
import { ExternalLink } from '../ui/external-link.tsx'
import { LogOut, Search } from '../ui/icons/public.ts'
import { DocsLogo } from './docs-logo.tsx'

/** The standard header without React: the page has both forms, and the root element's session mark selects one. */
export function DocsHeader() {
  return (
    <header className="sticky top-0 z-30 border-b border-line bg-surface/95 backdrop-blur-sm print:hidden">
      <div className="mx-auto flex min-h-(--header-height) max-w-[90rem] flex-wrap items-center md:flex-nowrap gap-x-1 gap-y-1 px-4 py-1.5 sm:px-6">
        <a href="/" aria-label="%SHOP%, home" className="mr-auto inline-flex rounded-control sm:mr-4">
          <DocsLogo tight />
        </a>
        <nav aria-label="Site" className="flex">
          {/* On a phone, the header of a signed-in reader has no room for a link to the current page. */}
          <ExternalLink href="%DOCS%" aria-current="true" className="site-link in-data-session:max-sm:hidden">
            {layoutText.documentation}
          </ExternalLink>
          <ExternalLink href="%PRICING%" className="site-link">
            {layoutText.pricing}
          </ExternalLink>
          <a href="/dashboard" className="site-link only-member">
            {layoutText.dashboard}
          </a>
        </nav>
        <div className="ml-auto flex min-w-0 items-center gap-2">
          <button type="button" data-search-open className={buttonClass({ size: 'small', className: 'font-normal' })}>
            <Search aria-hidden="true" className="size-4" />
            <span className="max-[26rem]:sr-only">Search</span>
            <kbd className="hidden text-small text-muted md:inline">Ctrl K</kbd>
          </button>
          <span data-welcome className="only-member hidden min-w-0 truncate text-muted md:inline" />
          <button type="button" data-sign-out className={buttonClass({ size: 'small', className: 'only-member' })}>
            <LogOut aria-hidden="true" className="size-4 sm:hidden" />
            <span className="max-sm:sr-only">{layoutText.signOut}</span>
          </button>
          <a href="/login" className={buttonClass({ look: 'primary', size: 'small', className: 'only-visitor' })}>
            {layoutText.logIn}
          </a>
        </div>
      </div>
    </header>
  )
}

/** The server removes it unless sign-in or payments are simulated. */
export function DocsSandboxBanner() {
  return (
    <aside
      aria-label="Sandbox"
      className="border-b border-warning-line bg-warning-soft px-4 py-1.5 text-center text-small text-warning sm:px-6 print:hidden"
    >
      {layoutText.sandbox}{' '}
      <span data-if="MAILBOX">
        <a href="/sandbox/mail" className="underline underline-offset-2">
          {layoutText.mailbox}
        </a>
      </span>
    </aside>
  )
}
