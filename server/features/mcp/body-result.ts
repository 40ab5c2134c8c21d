import { AppError } from '../../http/errors.ts'
import { refuseDeepJson } from '../../http/json-depth.ts'
import type { BodyAnswer } from '../tools/define-tool.ts'
import type { ToolAnswer } from '../tools/settle.ts'
import type { CallResult } from './call-tool.ts'

/** A model can use no more of a stream, and its client would wait for all of it. */
const MOST_STREAM_BYTES = 1024 * 1024

/**
 * The answer of a tool of kind body as a tool result: an MCP server's as it is; JSON as text and, if it is an object, as structured
 * content; other text as text. A stream is read to its end, and its final charge stands in `meta`.
 */
export async function bodyResult(answer: ToolAnswer): Promise<Omit<CallResult, 'headers'>> {
  const output = answer.output as BodyAnswer
  if ('stream' in output) return ofStream(output, answer)
  const { status, headers, body, mcp, cachedAgeS } = output
  if (mcp)
    return {
      isError: mcp.isError ?? false,
      text: '',
      content: mcp.content,
      structured: isObject(mcp.structuredContent) ? mcp.structuredContent : undefined,
      meta: {},
    }
  return {
    ...ofText(headers['content-type'] ?? '', body),
    isError: status >= 400,
    meta: { 'finmeter/status': status, ...(cachedAgeS !== undefined && { 'finmeter/age': cachedAgeS }) },
  }
}

async function ofStream(
  { status, headers, stream }: Extract<BodyAnswer, { stream: unknown }>,
  { streaming }: ToolAnswer,
): Promise<Omit<CallResult, 'headers'>> {
  const parts: Buffer[] = []
  let bytes = 0
  try {
    for await (const part of stream) {
      bytes += part.length
      parts.push(part)
      if (bytes >= MOST_STREAM_BYTES) break
    }
  } catch (cause) {
    // What was delivered before is charged, so it is shown too.
    if (bytes === 0) throw cause instanceof AppError ? cause : new AppError('upstream_failed', undefined, {}, { cause })
  }
  const settled = await streaming?.settled.catch(() => null)
  return {
    ...ofText(headers['content-type'] ?? '', Buffer.concat(parts)),
    isError: status >= 400,
    meta: {
      'finmeter/status': status,
      ...(settled && { 'finmeter/credits-charged': settled.creditsCharged }),
      ...(settled?.unlimited
        ? { 'finmeter/credits-remaining': 'unlimited' }
        : settled && settled.creditsRemaining !== null && { 'finmeter/credits-remaining': settled.creditsRemaining }),
    },
  }
}

const TEXT = /^(text\/|application\/([\w.+-]*\+)?(json|xml|yaml|x-ndjson|ndjson|jsonl|javascript)\b)|charset=/i

function ofText(type: string, body: Buffer): { text: string; content: unknown[]; structured?: unknown } {
  const mimeType = type.split(';', 1)[0]!.trim().toLowerCase()
  if (mimeType.startsWith('image/') || mimeType.startsWith('audio/'))
    return { text: '', content: [{ type: mimeType.slice(0, 5), data: body.toString('base64'), mimeType }] }
  if (body.length > 0 && !TEXT.test(type)) {
    const text = `The answer is ${body.length} bytes of ${mimeType || 'an unknown type'}. Get it over REST.`
    return { text, content: [{ type: 'text', text }] }
  }
  const text = body.toString()
  const value = /json$/.test(mimeType) ? parsed(text) : undefined
  return { text, content: [{ type: 'text', text }], ...(isObject(value) && { structured: value }) }
}

function parsed(text: string): unknown {
  try {
    // Deeper values cannot be written again; they stay text.
    refuseDeepJson(text)
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
