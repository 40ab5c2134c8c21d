import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { type Loopback, startLoopback } from './loopback.ts'

interface Message {
  id?: string | number
  params?: { _meta?: { progressToken?: string | number }; progressToken?: string | number }
}

/** An MCP server that speaks stdio, by streamable HTTP on loopback: a program for each session, which ends with it. */
export async function startStdioBridge(
  program: ConstructorParameters<typeof StdioClientTransport>[0],
): Promise<Omit<Loopback, 'close'> & { close: () => Promise<void> }> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const stdio = new StdioClientTransport({ ...program, stderr: 'ignore' })
    const http = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, http),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const reporting = new Map<string | number, string | number>()
    http.onmessage = (message) => {
      const { id, params } = message as Message
      const token = params?._meta?.progressToken
      if (id !== undefined && token !== undefined) reporting.set(token, id)
      void stdio.send(message)
    }
    stdio.onmessage = (message) => {
      const relatedRequestId = reporting.get((message as Message).params?.progressToken ?? '')
      void http.send(message, relatedRequestId === undefined ? {} : { relatedRequestId })
    }
    http.onclose = () => void stdio.close()
    await stdio.start()
    await http.start()
    return http
  }
  const loopback = await startLoopback(async (request, response) => {
    const { method, headers, body } = loopback.seen.at(-1)!
    const asked = new Request(`${loopback.url}${request.url}`, {
      method,
      headers: headers as Record<string, string>,
      ...(body && { body }),
    })
    const known = sessions.get(request.headers['mcp-session-id'] as string)
    const answered = await (known ?? (await open())).handleRequest(asked)
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    if (!answered.body) return response.end()
    await pipeline(Readable.fromWeb(answered.body as ReadableStream), response).catch(() => {})
  })
  return {
    ...loopback,
    async close() {
      await Promise.all([...sessions.values()].map((one) => one.close()))
      loopback.close()
    },
  }
}
