import { layoutText } from '../layout/text.ts'
import { ExternalLink } from '../ui/external-link.tsx'
import { DocsLogo } from './docs-logo.tsx'

const linkClass =
  'inline-flex min-h-6 items-center rounded-control text-muted transition-colors duration-150 hover:text-ink'

const product = [
  [layoutText.documentation, '/docs'],
  [layoutText.pricing, '/docs/pricing'],
  [layoutText.faq, '/docs/faq'],
] as const

const legal = [
  [layoutText.privacy, '/legal/privacy'],
  [layoutText.terms, '/legal/terms'],
] as const

const social = [
  ['GitHub', 'GITHUB'],
  ['Discord', 'DISCORD'],
  ['Telegram', 'TELEGRAM'],
  ['Reddit', 'REDDIT'],
] as const

/** The site footer. The server removes social links that this installation has not configured. */
export function DocsFooter() {
  return (
    <footer className="border-t border-line print:hidden">
      <div className="mx-auto flex max-w-[90rem] flex-wrap justify-between gap-x-16 gap-y-8 px-4 py-8 sm:px-6">
        <div className="max-w-xs">
          <DocsLogo />
          <p className="mt-3 text-muted">
            <span data-if="UNNAMED">{layoutText.about}</span>
            <span data-if="NAMED">%PROMISE%</span>
          </p>
          <p className="mt-3 text-small text-muted">
            © %YEAR% %SHOP%
            <span data-if="POWERED_BY"> · {layoutText.poweredBy}</span>
          </p>
        </div>
        <div className="flex flex-wrap gap-x-16 gap-y-8">
          <nav aria-label={layoutText.product}>
            <p className="text-small font-strong text-ink">{layoutText.product}</p>
            <ul className="mt-2 space-y-1.5">
              {product.map(([name, href]) => (
                <FooterLink key={href} name={name} href={href} />
              ))}
            </ul>
          </nav>
          <nav aria-label={layoutText.legal}>
            <p className="text-small font-strong text-ink">{layoutText.legal}</p>
            <ul className="mt-2 space-y-1.5">
              {legal.map(([name, href]) => (
                <FooterLink key={href} name={name} href={href} />
              ))}
              <li data-if="IMPRINT">
                <a href="/legal/imprint" className={linkClass}>
                  {layoutText.imprint}
                </a>
              </li>
              <li>
                <ExternalLink href="mailto:%SUPPORT%" className={linkClass}>
                  {layoutText.contactUs}
                </ExternalLink>
              </li>
            </ul>
          </nav>
          <nav aria-label={layoutText.contact}>
            <p className="text-small font-strong text-ink">{layoutText.contact}</p>
            <ul className="mt-2 space-y-1.5">
              <li>
                <ExternalLink href="mailto:%SUPPORT%" className={linkClass}>
                  %SUPPORT%
                </ExternalLink>
              </li>
              <li data-if="SOURCE">
                <ExternalLink href="%SOURCE%" className={linkClass}>
                  {layoutText.github}
                </ExternalLink>
              </li>
              {social.map(([name, id]) => (
                <li key={id} data-if={`SOCIAL_${id}`}>
                  <ExternalLink href={`%SOCIAL_${id}%`} title={`Open ${name}`} className={linkClass}>
                    {name}
                  </ExternalLink>
                </li>
              ))}
            </ul>
          </nav>
        </div>
      </div>
    </footer>
  )
}

function FooterLink({ name, href }: { name: string; href: string }) {
  return (
    <li>
      <a href={href} className={linkClass}>
        {name}
      </a>
    </li>
  )
}
