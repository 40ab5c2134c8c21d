import { Link } from '@tanstack/react-router'
import { useSettings } from '../lib/settings.ts'
import { ExternalLink } from '../ui/external-link.tsx'
import { ShopLogo } from './shop-logo.tsx'
import { layoutText } from './text.ts'

const linkClass =
  'inline-flex min-h-6 items-center rounded-control text-muted transition-colors duration-150 hover:text-ink'

/** The site footer. */
export function SiteFooter() {
  const { links, social, shop } = useSettings()
  return (
    <footer className="border-t border-line print:hidden">
      <div className="mx-auto flex max-w-6xl flex-wrap justify-between gap-x-16 gap-y-8 px-4 py-8 sm:px-6">
        <div className="max-w-xs">
          <ShopLogo />
          <p className="mt-3 text-muted">{shop.named ? shop.promise : layoutText.about}</p>
          <p className="mt-3 text-small text-muted">
            © {new Date().getFullYear()} {shop.name}
            {shop.poweredBy && <span> · {layoutText.poweredBy}</span>}
          </p>
        </div>
        <div className="flex flex-wrap gap-x-16 gap-y-8">
          <FooterList title={layoutText.product}>
            <li>
              <a href="/docs" className={linkClass}>
                {layoutText.documentation}
              </a>
            </li>
            <li>
              <Link to="/docs/pricing" className={linkClass}>
                {layoutText.pricing}
              </Link>
            </li>
            <li>
              <Link to="/docs/faq" className={linkClass}>
                {layoutText.faq}
              </Link>
            </li>
          </FooterList>
          <FooterList title={layoutText.legal}>
            <li>
              <Link to="/legal/$page" params={{ page: 'privacy' }} className={linkClass}>
                {layoutText.privacy}
              </Link>
            </li>
            <li>
              <Link to="/legal/$page" params={{ page: 'terms' }} className={linkClass}>
                {layoutText.terms}
              </Link>
            </li>
            {shop.hasImprint && (
              <li>
                <Link to="/legal/$page" params={{ page: 'imprint' }} className={linkClass}>
                  {layoutText.imprint}
                </Link>
              </li>
            )}
            <li>
              <ExternalLink href={`mailto:${links.supportEmail}`} className={linkClass}>
                {layoutText.contactUs}
              </ExternalLink>
            </li>
          </FooterList>
          <FooterList title={layoutText.contact}>
            <li>
              <ExternalLink href={`mailto:${links.supportEmail}`} className={linkClass}>
                {links.supportEmail}
              </ExternalLink>
            </li>
            {links.source && (
              <li>
                <ExternalLink href={links.source} className={linkClass}>
                  {layoutText.github}
                </ExternalLink>
              </li>
            )}
            {social
              .filter((link) => link.enabled)
              .map((link) => (
                <li key={link.id}>
                  <a
                    href={link.href}
                    title={link.tooltip}
                    className={linkClass}
                    {...(link.openInNewTab && { target: '_blank', rel: 'noopener noreferrer' })}
                  >
                    {link.name}
                  </a>
                </li>
              ))}
          </FooterList>
        </div>
      </div>
    </footer>
  )
}

function FooterList({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <nav aria-label={title}>
      <h2 className="text-small font-strong text-ink">{title}</h2>
      <ul className="mt-2 space-y-1.5">{children}</ul>
    </nav>
  )
}
