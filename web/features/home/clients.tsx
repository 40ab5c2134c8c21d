import { MessagesSquare, SquareCode, SquareTerminal } from '../../ui/icons/public.ts'
import { marks } from './client-marks.ts'

const clients = [
  ['Claude', marks.claude],
  ['Claude Code', marks.claude],
  ['Cursor', marks.cursor],
  ['VS Code', SquareCode],
  ['ChatGPT', MessagesSquare],
  ['Codex', SquareTerminal],
  ['Gemini CLI', marks.gemini],
  ['Any MCP client', marks.mcp],
] as const

/** The AI clients for which the guide has ready configuration. */
export function Clients() {
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      {clients.map(([name, Mark]) => (
        <li
          key={name}
          className="flex items-center gap-3 rounded-card border border-line bg-surface px-4 py-3 font-strong"
        >
          {typeof Mark === 'string' ? (
            <svg viewBox="0 0 24 24" aria-hidden="true" className="size-5 flex-none fill-current">
              <path d={Mark} />
            </svg>
          ) : (
            <Mark aria-hidden="true" className="size-5 flex-none" />
          )}
          {name}
        </li>
      ))}
    </ul>
  )
}
