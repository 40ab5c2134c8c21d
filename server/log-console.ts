import { format } from 'node:util'
import type { Logger } from 'pino'

/**
 * Turns libraries' console output into JSON log lines: the MCP client prints other servers' tool names unescaped,
 * including characters that a terminal would interpret.
 */
export function logConsole(log: Logger): void {
  const asLine =
    (level: 'info' | 'warn') =>
    (...parts: unknown[]): void =>
      log[level]({ text: format(...parts) }, 'printed by a library')
  Object.assign(console, { log: asLine('info'), info: asLine('info'), warn: asLine('warn'), error: asLine('warn') })
}
