import { AccountsCard } from './accounts-card.tsx'
import { FactorsCard } from './factors-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

/** How the person proves who they are, and where they are signed in: part of the settings page. */
export function SecuritySections() {
  return (
    <>
      <FactorsCard />
      <AccountsCard />
      <SessionsCard />
    </>
  )
}
