import type { Progress } from '../../tools/define-tool.ts'
import { shownText } from '../document/shown-text.ts'
import type { SecretSearch } from '../request/secret-search.ts'

const MOST_TEXT = 1_024

/**
 * Reads `notifications/progress` of one call, by its token. Returns undefined for other messages, and for news that are not well formed,
 * go back, or repeat the secret: clients rely on progress that grows.
 */
export function createProgressReader(
  token: string,
  secret: () => SecretSearch,
): (given: unknown) => Progress | undefined {
  let last = Number.NEGATIVE_INFINITY
  return (given) => {
    const { method, params } = given as { method?: unknown; params?: Record<string, unknown> }
    if (method !== 'notifications/progress' || params?.progressToken !== token) return undefined
    const { progress, total, message } = params
    if (!isNumber(progress) || progress <= last) return undefined
    const said = typeof message === 'string' ? message : ''
    if (secret().isIn(said)) return undefined
    last = progress
    return {
      progress,
      ...(isNumber(total) && { total }),
      ...(said !== '' && { message: shownText(said, MOST_TEXT) }),
    }
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
