import type { Workspace } from '#contract/account.ts'
import { Card } from '../../ui/card.tsx'
import { roleNames } from '../workspaces/role-names.ts'
import { settingsText as text } from './text.ts'

/** The selected workspace, which is not the person: its name and the person's role in it. */
export function WorkspaceCard({ workspace }: { workspace: Workspace }) {
  return (
    <Card title={text.workspace} about={text.workspaceAbout}>
      <dl className="grid gap-x-8 gap-y-3 sm:grid-cols-2 xl:grid-cols-[minmax(0,3fr)_minmax(0,5fr)_minmax(0,6fr)]">
        {[
          { name: text.workspaceName, value: workspace.name },
          { name: text.workspaceRole, value: roleNames[workspace.role] },
        ].map(({ name, value }) => (
          <div key={name} className="min-w-0">
            <dt className="font-strong">{name}</dt>
            <dd className="mt-0.5 flex min-h-7 items-center break-words">
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
