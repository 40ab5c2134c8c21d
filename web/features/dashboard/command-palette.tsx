import { useState } from 'react'
import { Palette } from '../../ui/palette.tsx'
import { matching } from './commands.ts'
import { dashboardText as text } from './text.ts'
import { useCommands } from './use-commands.ts'
import { useDocsResults } from './use-docs-results.ts'

/** Finds pages, actions, keys, workspaces and documentation by typing. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const commands = useCommands()
  const [typed, setTyped] = useState('')
  const found = [...matching(commands, typed), ...useDocsResults(typed)]
  return (
    <Palette
      label={text.commands}
      placeholder={text.commandsPlaceholder}
      typed={typed}
      onType={setTyped}
      found={found.map((command) => ({ ...command, key: `${command.group} ${command.id}` }))}
      status={found.length === 0 && text.noCommands}
      onChoose={(command) => command.run()}
      onClose={onClose}
    >
      {({ icon: Icon, label }) => (
        <>
          <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
          <bdi className="truncate">{label}</bdi>
        </>
      )}
    </Palette>
  )
}
