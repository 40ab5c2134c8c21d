import { useNavigate, useSearch } from '@tanstack/react-router'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { Attention } from './attention.tsx'
import { GoLiveCard } from './go-live-card.tsx'
import { SettingsCards, StateCards } from './state-cards.tsx'
import { Switches } from './switches.tsx'

const tabs = {
  state: 'Status',
  settings: 'Jobs and settings',
  switches: 'Switches',
  'go-live': 'Go-live checklist',
} as const
type Tab = keyof typeof tabs

/** How the installation is, what stops it on a bad day, and what it needs before it sells. */
export function HealthPage() {
  const asked: { tab?: string } = useSearch({ strict: false })
  const tab = (asked.tab !== undefined && asked.tab in tabs ? asked.tab : 'state') as Tab
  const navigate = useNavigate()
  return (
    <>
      <PageHeader
        title="Health"
        about="Checks, database size and servers; emergency switches; and what to set up before you go live."
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
