/** What the guard uses of Node's request; also Express's. */
export interface NodeRequest {
  method?: string
  url?: string
  /** Express keeps the whole address here, within a router. */
  originalUrl?: string
  headers: Record<string, string | string[] | undefined>
  socket?: { remoteAddress?: string }
}

/** What the guard uses of Node's response. */
export interface NodeResponse {
  statusCode: number
  statusMessage?: string
  readonly headersSent: boolean
  setHeader: (name: string, value: string | number | readonly string[]) => unknown
  getHeaderNames: () => string[]
  removeHeader: (name: string) => void
  writeHead: (status: number, ...rest: unknown[]) => unknown
  flushHeaders: () => void
  write: (...args: unknown[]) => boolean
  end: (...args: unknown[]) => unknown
  emit: (event: string) => boolean
  once: (event: string, listener: () => void) => unknown
}

export interface Settlement {
  /** Resolves with headers for the answer. */
  settle: (status: number) => Promise<Record<string, string>>
  /** What is sent instead if that fails. */
  refusal: (error: unknown) => { status: number; headers: Record<string, string>; body: string }
  /** The client left before anything was sent. */
  abandon: () => void
}

/** Holds back whatever is written until the call is settled. Afterward the response is as if nothing had been here. */
export function settleBeforeSending(response: NodeResponse, { settle, refusal, abandon }: Settlement): void {
  const own = {
    writeHead: response.writeHead,
    write: response.write,
    end: response.end,
    flushHeaders: response.flushHeaders,
  }
  const held: (() => void)[] = []
  let begun = false

  const begin = (): void => {
    if (begun) return
    begun = true
    settle(response.statusCode).then(
      (headers) => {
        Object.assign(response, own)
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        for (const send of held) send()
        // A stream may wait since its first piece.
        response.emit('drain')
      },
      (error: unknown) => {
        Object.assign(response, own)
        for (const name of response.getHeaderNames()) response.removeHeader(name)
        const { status, headers, body } = refusal(error)
        response.statusCode = status
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        response.end(body)
        // What the handler still writes goes nowhere.
        response.write = () => true
        response.end = () => response
      },
    )
  }

  response.writeHead = (status, ...rest) => {
    response.statusCode = status
    if (typeof rest[0] === 'string') response.statusMessage = rest.shift() as string
    const headers = rest[0] as Record<string, string> | string[] | undefined
    if (Array.isArray(headers))
      for (let at = 0; at + 1 < headers.length; at += 2) response.setHeader(headers[at]!, headers[at + 1]!)
    else
      for (const [name, value] of Object.entries(headers ?? {}))
        if (value !== undefined) response.setHeader(name, value)
    return response
  }
  response.flushHeaders = () => {
    held.push(() => own.flushHeaders.call(response))
    begin()
  }
  response.write = (...args) => {
    held.push(() => own.write.apply(response, args))
    begin()
    return false
  }
  response.end = (...args) => {
    held.push(() => own.end.apply(response, args))
    begin()
    return response
  }
  response.once('close', () => {
    if (!begun) abandon()
    begun = true
  })
}
