/** Messages between the bench and its processes. */

/** An answer of Finmeter, so that a peer can send the same bytes. */
export interface RecordedAnswer {
  /** Path and query of the request. */
  path: string
  /** Names and values alternating, without those that Node adds. */
  headers: string[]
  body: string
}

/** One MCP call and Finmeter's result for it. */
export interface RecordedToolCall {
  arguments: Record<string, unknown>
  headers: string[]
  /** The JSON-RPC answer to id 0. */
  body: string
}

export interface RestPeerSetup {
  answers: RecordedAnswer[]
  /** The peer's own database on Finmeter's PostgreSQL; absent for peers that need none. */
  databaseUrl?: string
  /** How many keys to create, for a peer that creates its own. */
  keys?: number
}

export interface PeerTool {
  name: string
  title: string
  description: string
  inputSchema: object
  outputSchema: object
}

export interface McpPeerSetup {
  /** The tool that is called. */
  tool: PeerTool
  /** The other registered tools. */
  others: PeerTool[]
  calls: RecordedToolCall[]
}

export interface PeerReady {
  port: number
  pid: number
  /** The keys that the peer has created. */
  keys?: string[]
}

/** The counts of one slice, from its generator. */
export interface Slice {
  /** Complete requests sent. */
  sent: number
  /** Complete answers read, whatever their status. */
  answered: number
  /** Of these, with status 400 and above; where answers are compared, all that are not right. */
  refused: number
  /** Connections that failed, broke off or timed out. */
  broken: number
  p50Ms: number
  p99Ms: number
  /** Answers per second while requests were being sent. */
  perSecond: number
}
