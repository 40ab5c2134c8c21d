import { useQuery } from '@tanstack/react-query'
import { pageHeadings } from '../../lib/page-headings.ts'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { InvitationsCard } from './invitations-card.tsx'
import { InviteCard } from './invite-card.tsx'
import { KeysSeenNotice } from './keys-seen-notice.tsx'
import { LeaveCard } from './leave-card.tsx'
import { MemberList } from './member-list.tsx'
import { teamQuery } from './queries.ts'
import { teamText as text } from './text.ts'
import { TransferCard } from './transfer-card.tsx'

/** The workspace's members and invitations, and how to leave or transfer it. */
export function TeamPage() {
  const query = useQuery(teamQuery)
  const { data: team } = query
  const role = team?.members.find(({ you }) => you)?.role
  const alone = team?.members.length === 1
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/settings/team']} />
      {role !== 'member' && <KeysSeenNotice />}
      {role !== 'member' && <InviteCard />}
      <Card title={text.members} flush footer={<span className="text-small text-pretty">{text.rolesAbout}</span>}>
        <QueryState query={query} failed={text.loadFailed}>
          <MemberSkeleton />
        </QueryState>
        {team && role && <MemberList members={team.members} role={role} />}
        {alone && <p className="border-t border-line px-5 py-4 text-muted">{text.none}</p>}
      </Card>
      {team && team.invitations.length > 0 && <InvitationsCard invitations={team.invitations} />}
      {team && role === 'owner' && !alone && <TransferCard members={team.members} />}
      {role && role !== 'owner' && <LeaveCard />}
    </>
  )
}

/** The skeleton of a member row. */
function MemberSkeleton() {
  return (
    <Loading label={text.loading} className="flex items-center gap-3 border-t border-line px-5 py-3">
      <Skeleton className="size-9 rounded-full" />
      <div className="flex-1 space-y-1.5">
        <Skeleton className="h-4 w-32" />
        <Skeleton className="h-4 w-44 max-w-full" />
      </div>
      <Skeleton className="h-5 w-14 rounded-full" />
    </Loading>
  )
}
