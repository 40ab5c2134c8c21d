import { pageHeadings } from '../../lib/page-headings.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { AccountsCard } from '../security/accounts-card.tsx'
import { FactorsCard } from '../security/factors-card.tsx'
import { SessionsCard } from '../security/sessions-card.tsx'
import { SettingsTabs } from './settings-tabs.tsx'

/** How the user signs in: second factors, accounts and sessions. */
export function SecurityPage() {
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/settings/security']} />
      <SettingsTabs />
      <FactorsCard />
      <AccountsCard />
      <SessionsCard />
    </>
  )
}
