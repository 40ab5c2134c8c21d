import type { Workspace } from '#contract/account.ts'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { roleNames } from '../workspaces/role-names.ts'
import { settingsText as text } from './text.ts'

/** The selected workspace, which is not the person: its name and the person's role in it. */
export function WorkspaceCard({ workspace }: { workspace: Workspace }) {
  return (
    <Card title={text.workspace} about={text.workspaceAbout}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label={text.workspaceName} value={workspace.name} readOnly dir="auto" />
        <TextField label={text.workspaceRole} value={roleNames[workspace.role]} readOnly />
      </div>
    </Card>
  )
}
