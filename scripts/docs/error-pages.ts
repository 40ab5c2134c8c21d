import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'
import { errorsOfBodies, errorsOfCalls } from '../../server/features/site/openapi-problems.ts'
import { AppError } from '../../server/http/errors.ts'
import { toProblem } from '../../server/http/problem.ts'
import { ORIGIN } from '../../web/docs/page.ts'
import { errorAdvice } from './error-advice.ts'
import type { SourcePage } from './site-page.ts'
import { errorTable } from './tool-page.ts'

/** General advice for a status; a code's own advice is more specific. */
const statusAdvice: Record<number, string> = {
  400: 'Correct the request as `detail` says and send it again. Repeating it unchanged gives the same error.',
  401: 'Send a valid credential. Repeating the request unchanged gives the same error.',
  402: 'Add credits, then repeat the request.',
  403: 'Use a key or an account that may do this.',
  404: 'Check the name. `suggestions` may contain the one you meant.',
  409: 'Read the current state, then decide whether to try again.',
  422: 'Correct the request, then send it again.',
  429: 'Wait for the number of seconds in `Retry-After`, then repeat the request.',
  500: 'Try again. If the error continues, report the request ID from `X-Request-Id`.',
  502: 'Try again in a moment. The failed call was not charged.',
  503: 'Wait for the number of seconds in `Retry-After`, then repeat the request. Nothing was charged.',
  504: 'Try again, or ask for less at once. The failed call was not charged.',
}

/** Those that a call of the Data API can return. */
const ofCalls = new Set<ErrorCode>([...errorsOfCalls, ...errorsOfBodies])
const bodyOf = (code: ErrorCode): string => {
  // Its answer leads to where credits are bought.
  const help = code === 'insufficient_credits' ? { help: `${ORIGIN}/dashboard/billing/` } : {}
  return JSON.stringify(toProblem(new AppError(code, undefined, help), '0b9c5c0e-…'), null, 2)
}

const codes = Object.keys(errorCatalog) as ErrorCode[]

/** The list of all errors is generated below the guide's text, so it is never out of date. */
export const allErrorsTable = (): string => errorTable(codes)

/** One page for each code of the catalog; API answers link to it. */
export function errorPages(): SourcePage[] {
  return codes.map((code) => {
    const { status, text } = errorCatalog[code]
    const advice = errorAdvice[code]
    return {
      path: `/docs/errors/${code}`,
      title: code,
      description: text,
      group: null,
      label: code,
      names: String(status),
      markdown: [
        `The status is **${status}**. Nothing is charged: errors are free.`,
        '## Why it happens',
        advice?.why ?? text,
        '## What to do',
        advice?.remedy ??
          statusAdvice[status] ??
          'Read `detail`: it says what is wrong with this request and what to do.',
        ...(ofCalls.has(code) ? ['## The response', `\`\`\`json\n${bodyOf(code)}\n\`\`\``] : []),
        '[All errors](/docs/errors)',
      ].join('\n\n'),
    }
  })
}
