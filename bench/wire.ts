/** What the bench and the processes that it starts say to each other. */

/** An answer of Finmeter as it came, so that a peer can send the same bytes. */
export interface RecordedAnswer {
  /** Path and query of the request. */
  path: string
  /** Names and values in turn, without those that Node adds by itself. */
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
  /** A database of its own on the PostgreSQL that Finmeter uses; absent for peers that need none. */
  databaseUrl?: string
  /** How many keys a peer shall make that makes its own. */
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
  /** Registered beside it. */
  others: PeerTool[]
  calls: RecordedToolCall[]
}

export interface PeerReady {
  port: number
  /** The keys that the peer has made. */
  keys?: string[]
}

/** How one slice went, as its generator counted it. */
export interface Slice {
  /** Complete requests sent. */
  sent: number
  /** Complete answers read, whatever their status. */
  answered: number
  /** Of these, with status 400 and above. */
  refused: number
  /** Connections that failed, broke off or timed out. */
  broken: number
  p50Ms: number
  p99Ms: number
  /** Answers per second while requests were being sent. */
  perSecond: number
}
