import { randomInt } from 'node:crypto'
import { Client, ProtocolError, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import type { CallReport } from '#contract/playground.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { AppError } from '../../http/errors.ts'
import { BlockedAddress } from '../../net/checked-addresses.ts'
import { recorded } from './recorder.ts'
import type { Target } from './target.ts'

/** Ids stay exact integers, far from the limit. */
const FIRST_IDS = 2 ** 31
const REQUEST_TIMEOUT_MS = 8_000
const CHARACTERS_PER_TOKEN = 4

/** An estimate of model tokens: four characters each. */
export const estimateTokens = (value: unknown): number =>
  Math.ceil((JSON.stringify(value)?.length ?? 0) / CHARACTERS_PER_TOKEN)

export interface HubAnswer<T> {
  answer: T
  protocolVersion: string
  call: Omit<CallReport, 'tokens'>
}

/**
 * Opens a client, does one operation, closes it: nothing stays open between calls, so any instance can do the next one.
 * Throws upstream_failed with the reason, or the server's own message about a wrong request.
 */
export async function withClient<T>(target: Target, work: (client: Client) => Promise<T>): Promise<HubAnswer<T>> {
  const startedAt = performance.now()
  const { fetch, exchanges } = recorded(fetchOf(target), target.url)
  const client = new Client(
    { name: 'finmeter-playground', version: packageJson.version },
    {
      versionNegotiation: { mode: 'auto' },
      // Questions of a tool go to the person with the result; the answer is a separate call.
      capabilities: { elicitation: { form: {} } },
      inputRequired: { autoFulfill: false },
    },
  )
  // A server may identify requests by id, and each new client here would start at 0.
  Reflect.set(client, '_requestMessageId', randomInt(FIRST_IDS))
  // Servers of older revisions ask during the call, when nobody can answer.
  client.setRequestHandler('elicitation/create', () => ({ action: 'cancel' as const }))
  const transport = new StreamableHTTPClientTransport(target.url, {
    fetch,
    ...(target.signIn && { authProvider: target.signIn }),
  })
  try {
    await client.connect(transport, { timeout: REQUEST_TIMEOUT_MS })
    const answer = await work(client)
    const protocolVersion = client.getNegotiatedProtocolVersion() ?? 'unknown'
    return {
      answer,
      protocolVersion,
      call: { durationMs: Math.round(performance.now() - startedAt), protocolVersion, exchanges },
    }
  } catch (error) {
    throw explain(error, target)
  } finally {
    await client.close().catch(() => {})
  }
}

const MAX_REASON = 500

/** A `fetch` that sends a server's credentials only to that server's own address. */
export const fetchOf =
  ({ url, headers, fetch }: Pick<Target, 'url' | 'headers' | 'fetch'>): typeof globalThis.fetch =>
  (input, init) => {
    const to = new URL(input instanceof Request ? input.url : input)
    if (to.href !== url.href) return fetch(input, init)
    const all = new Headers(init?.headers)
    for (const [name, value] of Object.entries(headers)) all.set(name, value)
    return fetch(input, { ...init, headers: all })
  }

/** A reason that users can read, without network details. */
export function explain(error: unknown, { signIn }: Pick<Target, 'signIn'>): AppError {
  if (error instanceof AppError) return error
  if (error instanceof UnauthorizedError && signIn)
    return new AppError('sign_in_required', undefined, {}, { cause: error })
  const blocked = blockedBehind(error)
  if (blocked) return new AppError('invalid_parameter', blocked.message, { param: 'command' }, { cause: error })
  if (error instanceof ProtocolError)
    return new AppError('invalid_parameter', plain(error.message), {}, { cause: error })
  if (signIn?.asked && error instanceof Error)
    return new AppError(
      'upstream_failed',
      `The sign-in at this server failed: ${plain(error.message)}.`,
      {},
      { cause: error },
    )
  const reason = error instanceof Error && error.name === 'SdkHttpError' ? ` (${plain(error.message)})` : ''
  return new AppError('upstream_failed', `The MCP server did not answer correctly${reason}.`, {}, { cause: error })
}

function blockedBehind(error: unknown): BlockedAddress | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof BlockedAddress) return cause
  return undefined
}

/** A server's message, without characters that a terminal or page could interpret. */
const plain = (text: string): string => text.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ').slice(0, MAX_REASON)
