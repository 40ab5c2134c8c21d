import { arrived, type Case, piecesOf, token } from './cases.ts'
import type { ImperfectUpstreams } from './upstreams.ts'

/** What a customer saw. */
export interface Got {
  delivered: boolean
  /** Of a stream over REST: its receipt, because its price is known when it has ended. */
  credits: number | { receipt: string }
}

export interface Customer {
  url: string
  key: string
  upstreams: ImperfectUpstreams
}

const names: Record<string, string> = { toolFixed: 'flawed_tool_fixed', toolRows: 'flawed_tool_rows' }
const toolName = (operation: string): string =>
  names[operation] ?? `imperfect_${operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`

/** Makes the call of a case by its door. */
export async function call(customer: Customer, one: Case, key?: string): Promise<Got> {
  const { id, door, operation, kind } = one
  const isPost = kind === 'tool' || operation === 'order'
  const headers: Record<string, string> = {
    'x-api-key': customer.key,
    ...(key !== undefined && { 'idempotency-key': key }),
    ...((isPost || door === 'mcp') && { 'content-type': 'application/json' }),
  }
  if (door === 'mcp') {
    // It waits for the end of a stream, of which it could not tell how far it is.
    customer.upstreams.received(one)
    return overMcp(customer, one, headers)
  }
  const address = kind === 'tool' ? `flawed/${operation}` : `imperfect/${operation}?case=${id}`
  const left = new AbortController()
  const answer = await fetch(`${customer.url}/v1/${address}`, {
    method: isPost ? 'POST' : 'GET',
    headers,
    signal: left.signal,
    ...(isPost && { body: kind === 'tool' ? JSON.stringify({ case: id }) : '{}' }),
  })
  if (kind === 'stream' && answer.ok) {
    const receipt = answer.headers.get('x-receipt-id')!
    return { delivered: await readStream(customer, one, answer, () => left.abort()), credits: { receipt } }
  }
  const text = await answer.text()
  const credits = Number(answer.headers.get('x-credits-charged') ?? 0)
  return { delivered: has(text, one) || answer.status === 204, credits }
}

/** Whether all arrived that the upstream sent before the stream ended, was cut, or is left. */
async function readStream(
  { upstreams }: Customer,
  one: Extract<Case, { kind: 'stream' }>,
  answer: Response,
  leave: () => void,
): Promise<boolean> {
  const due = piecesOf(one).slice(0, arrived(one)).join('')
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of answer.body!) {
      text += decoder.decode(part as Uint8Array, { stream: true })
      if (text !== due) continue
      upstreams.received(one)
      if (one.end === 'left') leave()
    }
  } catch {
    // It was cut, or left.
  }
  return text === due
}

/** Also in UTF-16, plain or as JSON writes it. */
const has = (text: string, one: Case): boolean =>
  text.replaceAll('\0', '').replaceAll('\\u0000', '').includes(token(one))

async function overMcp({ url }: Customer, one: Case, headers: Record<string, string>): Promise<Got> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...headers, accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: toolName(one.operation), arguments: { case: one.id } },
    }),
  })
  const text = await answer.text()
  const { result } = JSON.parse(text)
  const meta = result._meta
  // Over MCP, a body without text is an empty one.
  const isEmpty = one.kind === 'whole' && one.manner === 204 && meta['finmeter/status'] === 204
  return { delivered: has(text, one) || isEmpty, credits: meta['finmeter/credits-charged'] }
}
