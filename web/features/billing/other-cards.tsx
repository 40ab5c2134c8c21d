import { Link } from '@tanstack/react-router'
import { useSettings } from '../../lib/settings.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { ArrowUpRight } from '../../ui/icons/dashboard.ts'
import { billingText as text } from './text.ts'
import { useOpenPortal } from './use-open-portal.ts'

/** The Enterprise card. */
export function EnterpriseCard() {
  const { links } = useSettings()
  return (
    <Card title={text.enterprise} about={text.enterpriseAbout}>
      <div className="flex h-full items-end">
        <ExternalLink href={links.sales} className={buttonClass()}>
          {text.contactSales}
        </ExternalLink>
      </div>
    </Card>
  )
}

/** The payment provider's portal, in a new tab. */
export function ManagementCard() {
  const { busy, error, open } = useOpenPortal()
  return (
    <Card title={text.management} about={text.managementAbout}>
      <div className="flex h-full flex-col justify-end">
        <Button busy={busy} onClick={open} className="self-start">
          {busy ? text.managing : text.manage}
          {!busy && <ArrowUpRight aria-hidden="true" className="size-4" />}
        </Button>
        <p role="alert" className="text-danger not-empty:mt-3">
          {error}
        </p>
      </div>
    </Card>
  )
}

/** For a workspace without a plan and without credits. */
export function ReadyCard() {
  return (
    <Card
      title={text.ready}
      about={text.readyAbout}
      aside={
        <Link to="/dashboard/billing" hash="plans" className={buttonClass()}>
          {text.readyAction}
        </Link>
      }
    />
  )
}
