import { AccountsCard } from './accounts-card.tsx'
import { FactorsCard } from './factors-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

/** The security part of the settings page: factors, accounts and sessions. */
export function SecuritySections() {
  return (
    <>
      <FactorsCard />
      <AccountsCard />
      <SessionsCard />
    </>
  )
}
