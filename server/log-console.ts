import { format } from 'node:util'
import type { Logger } from 'pino'

/**
 * What libraries print for developers becomes lines of the log, which are JSON: the MCP client names a foreign server's
 * tools in its warnings as they came, with whatever a terminal would take for a command.
 */
export function logConsole(log: Logger): void {
  const asLine =
    (level: 'info' | 'warn') =>
    (...parts: unknown[]): void =>
      log[level]({ text: format(...parts) }, 'printed by a library')
  Object.assign(console, { log: asLine('info'), info: asLine('info'), warn: asLine('warn'), error: asLine('warn') })
}
