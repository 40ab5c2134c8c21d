import { createInterface } from 'node:readline'
import type { Call } from './command.ts'
import { addressOf, dataToken } from './credentials.ts'
import { asCliError } from './exit-codes.ts'
import { note, out } from './print.ts'

type Message = {
  jsonrpc: '2.0'
  id?: string | number
  method?: string
  params?: Record<string, unknown>
  result?: unknown
}

const INTERNAL_ERROR = -32603
const VERSION = 'io.modelcontextprotocol/protocolVersion'

/**
 * Serves the remote MCP endpoint on standard input and output, for clients that start a program. Messages go up as they are;
 * the token is renewed as needed, so a client can run for days. Ends with its input, after the last answer.
 */
export async function mcp({ globals }: Call): Promise<void> {
  const endpoint = `${await addressOf(globals)}/mcp`
  // Fails at once, in words, instead of at the first message.
  await dataToken(globals)
  const running = new Map<unknown, AbortController>()
  const answers = new Set<Promise<void>>()
  /** What the server agreed to at `initialize`; later versions name it in each message. */
  let agreed: string | undefined

  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue
    let message: Message
    try {
      message = JSON.parse(line)
    } catch {
      write({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'This line is not JSON.' } })
      continue
    }
    if (message.method === 'notifications/cancelled') running.get(message.params?.requestId)?.abort()
    const answer = forward(message, line).finally(() => answers.delete(answer))
    answers.add(answer)
    // The version must be known before the next message.
    if (message.method === 'initialize') await answer
  }
  await Promise.all(answers)

  async function forward(message: Message, line: string): Promise<void> {
    const abort = new AbortController()
    if (message.id !== undefined) running.set(message.id, abort)
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: headersOf(message, await dataToken(globals)),
        body: line,
        signal: abort.signal,
      })
      if (response.headers.get('content-type')?.startsWith('text/event-stream')) await readEvents(response, receive)
      else {
        const text = (await response.text()).trim()
        if (text) receive(text)
        else if (!response.ok) throw new Error(`The server answered ${response.status}.`)
      }
    } catch (error) {
      if (abort.signal.aborted) return
      const { message: words, hint } = asCliError(error)
      if (message.id === undefined) note(words)
      else
        write({
          jsonrpc: '2.0',
          id: message.id,
          error: { code: INTERNAL_ERROR, message: `${endpoint}: ${words} ${hint ?? ''}`.trim() },
        })
    } finally {
      running.delete(message.id)
    }

    function receive(text: string): void {
      const answer = JSON.parse(text) as Message & { result?: { protocolVersion?: string }; error?: unknown }
      if (message.method === 'initialize') agreed = answer.result?.protocolVersion ?? agreed
      // A refusal before the message was read names no id, but the client waits for its own.
      if (answer.id === null && answer.error && message.id !== undefined) write({ ...answer, id: message.id })
      else if (!(answer.id === null && message.id === undefined)) write(answer)
    }
  }

  function headersOf({ method, params }: Message, token: string): Record<string, string> {
    const meta = params?._meta as Record<string, string> | undefined
    const version = meta?.[VERSION] ?? agreed
    const name = params?.name ?? params?.uri
    return {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version && { 'mcp-protocol-version': version }),
      ...(meta?.[VERSION] && method && { 'mcp-method': method }),
      ...(meta?.[VERSION] && typeof name === 'string' && { 'mcp-name': name }),
    }
  }
}

const write = (message: unknown): void => out(`${JSON.stringify(message)}\n`)

/** Calls back with the data of each event of a stream. */
async function readEvents(response: Response, receive: (data: string) => void): Promise<void> {
  let text = ''
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text = (text + piece).replaceAll('\r\n', '\n')
    const events = text.split('\n\n')
    text = events.pop()!
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((field) => field.startsWith('data:'))
        .map((field) => field.slice(5).trimStart())
      if (data.length > 0) receive(data.join('\n'))
    }
  }
}
