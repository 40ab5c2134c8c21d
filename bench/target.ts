/** The request kinds: a quote by REST, 252 bars by REST, a quote by MCP. */
export type Work = 'rest' | 'bars' | 'mcp'
export type TargetId = `${Work}-${'bare' | 'finmeter'}` | 'rest-one-transaction' | 'rest-better-auth' | 'mcp-sdk'

/** A server under load and the requests that it gets. */
export interface Target {
  id: TargetId
  work: Work
  label: string
  port: number
  requests: string[]
}

export const hasRole = ({ id }: Pick<Target, 'id'>, role: 'bare' | 'finmeter' | 'one-transaction'): boolean =>
  id.endsWith(`-${role}`)

export const workNames: Record<Work, string> = {
  rest: 'REST, a quote',
  mcp: 'MCP, a quote',
  bars: 'REST, 252 bars',
}
