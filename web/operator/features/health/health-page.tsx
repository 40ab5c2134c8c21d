import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Attention } from './attention.tsx'
import { GoLiveCard } from './go-live-card.tsx'
import { SettingsCards, StateCards } from './state-cards.tsx'
import { Switches } from './switches.tsx'

const tabs = { state: 'State', settings: 'Jobs and settings', switches: 'Switches', 'go-live': 'Go-live list' } as const
type Tab = keyof typeof tabs
interface Search {
  tab?: Tab
}

export const healthSearch = ({ tab }: Record<string, unknown>): Search =>
  typeof tab === 'string' && tab in tabs ? { tab: tab as Tab } : {}

/** How the installation is, what stops it on a bad day, and what it needs before it sells. */
export function HealthPage() {
  const { tab = 'state' }: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  return (
    <>
      <PageHeader
        title="Health"
        about="Checks, size and servers; switches for a bad day; and what an installation needs before it sells."
      />
      <Tabs
        label="Part"
        value={tab}
        options={Object.entries(tabs).map(([value, label]) => ({ value: value as Tab, label }))}
        onChange={(next) => navigate({ to: '/health', search: next === 'state' ? {} : { tab: next } })}
      >
        <div className="mt-3 space-y-5">
          {tab === 'state' && (
            <>
              <Attention />
              <StateCards />
            </>
          )}
          {tab === 'settings' && <SettingsCards />}
          {tab === 'switches' && <Switches />}
          {tab === 'go-live' && <GoLiveCard />}
        </div>
      </Tabs>
    </>
  )
}
