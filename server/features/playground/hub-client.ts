import { Client, ProtocolError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { CallReport } from '#contract/playground.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { AppError } from '../../http/errors.ts'
import { BlockedAddress } from '../../net/guarded-fetch.ts'
import { recorded } from './recorder.ts'
import type { Target } from './target.ts'

const REQUEST_TIMEOUT_MS = 8_000
const CHARACTERS_PER_TOKEN = 4

/** As models count, near enough: four characters a token. */
export const estimateTokens = (value: unknown): number =>
  Math.ceil((JSON.stringify(value)?.length ?? 0) / CHARACTERS_PER_TOKEN)

export interface HubAnswer<T> {
  answer: T
  protocolVersion: string
  call: Omit<CallReport, 'tokens'>
}

/**
 * Opens a client, does one thing with it, closes it: nothing stays open between calls, so any instance can do the next
 * one. Throws upstream_failed with the reason, or what the server itself says about a wrong request.
 */
export async function withClient<T>(target: Target, work: (client: Client) => Promise<T>): Promise<HubAnswer<T>> {
  const startedAt = performance.now()
  const { fetch, exchanges } = recorded(target.fetch)
  const client = new Client(
    { name: 'finmeter-playground', version: packageJson.version },
    { versionNegotiation: { mode: 'auto' }, capabilities: {} },
  )
  const transport = new StreamableHTTPClientTransport(target.url, { fetch, requestInit: { headers: target.headers } })
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
    throw explain(error)
  } finally {
    await client.close().catch(() => {})
  }
}

const MAX_REASON = 500

/** The reason in words for the person; details of the network stay here. */
function explain(error: unknown): AppError {
  if (error instanceof AppError) return error
  const blocked = blockedBehind(error)
  if (blocked) return new AppError('invalid_parameter', blocked.message, { param: 'command' }, { cause: error })
  if (error instanceof ProtocolError)
    return new AppError('invalid_parameter', plain(error.message), {}, { cause: error })
  const reason = error instanceof Error && error.name === 'SdkHttpError' ? ` (${plain(error.message)})` : ''
  return new AppError('upstream_failed', `The MCP server did not answer as one${reason}.`, {}, { cause: error })
}

function blockedBehind(error: unknown): BlockedAddress | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof BlockedAddress) return cause
  return undefined
}

/** A server's words, without what a terminal or a page could take for something else. */
const plain = (text: string): string => text.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ').slice(0, MAX_REASON)
