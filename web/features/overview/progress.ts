import type { Credits } from '#contract/billing.ts'
import type { ApiKey } from '#contract/keys.ts'

export const steps = ['plan', 'key', 'call', 'client'] as const
export type Step = (typeof steps)[number]
/** Which steps to a connected client are done. */
export type Progress = Record<Step, boolean>

/** More calls than people make by hand must come from a program. */
const CALLS_BY_HAND = 10

interface Account {
  keys: Pick<ApiKey, 'usage_count' | 'last_used_client'>[]
  hasPlan: boolean
  credits: Credits | undefined
  /** Calls of the range, with deleted keys and the playground. */
  calls: number
}

/** Reads the progress from the account, so that it is the same on every device and after every reload. */
export function progressOf({ keys, hasPlan, credits, calls }: Account): Progress {
  const total = Math.max(
    calls,
    keys.reduce((sum, { usage_count }) => sum + usage_count, 0),
  )
  const mayCall = credits && (credits.unlimited || credits.remaining > 0 || credits.payAsYouGoEnabled)
  return {
    plan: hasPlan || Boolean(mayCall),
    key: keys.length > 0,
    call: total > 0,
    client: total > CALLS_BY_HAND || keys.some(({ last_used_client }) => isProgram(last_used_client)),
  }
}

/** Anything but a browser, because calls from a browser come from these pages. */
const isProgram = (userAgent: string | null): boolean => Boolean(userAgent) && !userAgent!.startsWith('Mozilla/')

/** The first step that is not done; null after the last. */
export const nextStep = (progress: Progress): Step | null => steps.find((step) => !progress[step]) ?? null
