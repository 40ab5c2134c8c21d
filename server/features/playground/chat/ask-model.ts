import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { createGuardedFetch } from '../../../net/guarded-fetch.ts'

const MAX_ANSWER_BYTES = 1024 * 1024
const DEFAULT_WAIT_SECONDS = 10
const MAX_WAIT_SECONDS = 3_600

/** A message in the chat completions format. */
export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ModelCall[] }
  | { role: 'tool'; tool_call_id: string; content: string }
export interface ModelCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}
export interface ModelTool {
  type: 'function'
  function: { name: string; description: string; parameters: unknown }
}

const completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().min(1).max(200),
                function: z.object({ name: z.string(), arguments: z.string() }),
              }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
  usage: z.object({ total_tokens: z.int() }).nullish(),
})

export interface ModelAnswer {
  text: string | null
  calls: { id: string; name: string; arguments: string }[]
  tokens: number | null
}

/**
 * One request to the operator's model. Its URL may be private. Redirects are not followed (they would carry the key
 * elsewhere), and its error texts are neither shown nor logged, since some endpoints repeat the key there. Throws
 * upstream_failed, tool_timeout or rate_limited, with a message for the user.
 */
export async function askModel(
  { config, log }: Pick<Deps, 'config' | 'log'>,
  messages: ModelMessage[],
  tools: ModelTool[],
  toolChoice: 'auto' | 'none',
): Promise<ModelAnswer> {
  const seconds = config.CHAT_MODEL_TIMEOUT_SECONDS
  const fetch = createGuardedFetch({ privateNetworks: true, timeoutMs: seconds * 1000, maxBytes: MAX_ANSWER_BYTES })
  let answer: Response
  let body: string
  try {
    answer = await fetch(`${config.CHAT_MODEL_URL}/chat/completions`, {
      method: 'POST',
      headers: headersOf(config),
      body: JSON.stringify({ model: config.CHAT_MODEL, messages, tools, tool_choice: toolChoice }),
    })
    body = await answer.text()
  } catch (error) {
    const late = isTimeout(error) || (error instanceof Error && isTimeout(error.cause))
    log.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'the chat model did not answer')
    if (late) throw new AppError('tool_timeout', `The chat model did not answer within ${seconds} s.`)
    throw new AppError('upstream_failed', 'The chat model cannot be reached.')
  }
  if (answer.status !== 200) throw refusal(answer, log)
  const parsed = completion.safeParse(parseJson(body))
  if (!parsed.success) {
    log.warn({ bytes: body.length }, 'the chat model did not return a completion')
    throw new AppError('upstream_failed', 'The chat model returned an unexpected response.')
  }
  const { choices, usage } = parsed.data
  const { content, tool_calls } = choices[0]!.message
  return {
    text: content || null,
    calls: (tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({ id, name, arguments: args })),
    tokens: usage?.total_tokens ?? null,
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

const headersOf = ({ CHAT_MODEL_KEY }: Config): Record<string, string> => ({
  'content-type': 'application/json',
  accept: 'application/json',
  ...(CHAT_MODEL_KEY && { authorization: `Bearer ${CHAT_MODEL_KEY}` }),
})

function refusal({ status, headers }: Response, log: Deps['log']): AppError {
  log.warn({ status }, 'the chat model refused')
  if (status === 429) {
    const asked = Number(headers.get('retry-after'))
    const retryAfterSeconds = asked >= 1 && asked <= MAX_WAIT_SECONDS ? Math.ceil(asked) : DEFAULT_WAIT_SECONDS
    return new AppError('rate_limited', `The chat model is busy. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    })
  }
  if (status === 400 || status === 413)
    return new AppError(
      'upstream_failed',
      'The chat model rejected this conversation, which may be too long. Start a new one.',
    )
  if (status < 500)
    return new AppError(
      'upstream_failed',
      "The chat model refused this server's request. Its operator must check CHAT_MODEL_URL, CHAT_MODEL and CHAT_MODEL_KEY.",
    )
  return new AppError('upstream_failed', 'The chat model failed. Try again.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
