import { createHash } from 'node:crypto'
import type { BodyAnswer, Tool } from '../../tools/define-tool.ts'
import { bodyPrice, isCharged } from '../../tools/price.ts'
import type { Operation } from '../document/operation.ts'
import { buildRequest } from '../request/build-request.ts'
import type { AnswerCache, KeptAnswer } from './answer-cache.ts'

type Input = Record<string, unknown>

/** A call of an operation by an account, which asks the upstream where no answer is kept. */
export type CachedCall = (
  accountId: number,
  input: Input,
  ask: (input: Input) => Promise<BodyAnswer>,
) => Promise<BodyAnswer>

interface CachedOperation {
  cache: AnswerCache
  /** The beginning of the keys of the opened version. */
  opening: string
  operation: Operation
  tool: Pick<Tool, 'charge' | 'credits'> & { cache: NonNullable<Tool['cache']> }
  requestBytes: number
  onFound: () => void
}

/**
 * Calls an operation through the cache. Answers are kept under the request that would be sent, so two inputs share one only if the
 * upstream could not tell them apart. Equal calls at the same time each ask. Throws what `buildRequest` and `ask` throw.
 */
export function cachedCall({ cache, opening, operation, tool, requestBytes, onFound }: CachedOperation): CachedCall {
  const { seconds, shared } = tool.cache
  return async (accountId, input, ask) => {
    const ordered = Object.fromEntries(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)))
    const { path, headers, body } = buildRequest(operation, '', ordered, requestBytes)
    const request = JSON.stringify([shared ? null : accountId, operation.id, path, Object.entries(headers), body])
    const key = opening + createHash('sha256').update(request).digest('base64')
    const found = cache.find(key)
    if (found) {
      onFound()
      return { ...found.answer, cachedAgeS: found.ageS }
    }
    const askedAtMs = cache.now()
    const answer = await ask(ordered)
    if (isKept(tool, answer)) cache.keep(key, answer, { seconds, askedAtMs })
    return answer
  }
}

/** Whole, successful and charged. One whose price cannot be read is an error for the customer. */
function isKept(tool: Pick<Tool, 'charge' | 'credits'>, answer: BodyAnswer): answer is KeptAnswer {
  const { status } = answer
  if (!('body' in answer) || status < 200 || status > 299 || status === 206 || !isCharged(tool, answer)) return false
  try {
    bodyPrice(tool.credits, answer)
    return true
  } catch {
    return false
  }
}
