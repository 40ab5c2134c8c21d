import type { Answer } from './send-call.ts'
import { runnerText as text } from './text.ts'

const count = new Intl.NumberFormat('en-US')

/** Time, cost and what is left, as far as the server sent them. */
export const answerParts = ({ durationMs, charged, remaining }: Answer): string[] =>
  [
    durationMs > 0 ? `${count.format(Math.max(1, Math.round(durationMs)))} ms` : null,
    charged === null ? null : text.credits(charged),
    remaining === null ? null : `${count.format(remaining)} ${text.left}`,
  ].filter((part) => part !== null)
