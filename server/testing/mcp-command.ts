import { join } from 'node:path'
import { installPackage } from '../../scripts/install-package.ts'

const folder = join(import.meta.dirname, '../../packages/mcp-commands')

/** The path of a program of the MCP project, such as `@modelcontextprotocol/server-memory/dist/index.js`; installed when missing. */
export function mcpCommand(program: string): string {
  installPackage(folder)
  return join(folder, 'node_modules', program)
}
