import { FinmeterError } from '../errors.ts'

/** What the program ends with. Scripts rely on these numbers, so they never change. */
export const exitCodes = {
  ok: 0,
  /** A fault of the program itself. */
  unexpected: 1,
  /** A wrong command, option or parameter. */
  usage: 2,
  /** Nobody is logged in, or the key or token is refused. */
  notSignedIn: 3,
  /** Denied: by a person at login, by a role, a plan or a key's scope. */
  forbidden: 4,
  notFound: 5,
  /** No credits are left for the account or the key. */
  noCredits: 6,
  rateLimited: 7,
  /** No answer, or a failure of the server. */
  unavailable: 8,
} as const
type Exit = keyof typeof exitCodes

/** An error with its exit code and, if there is one, what to do next. */
export class CliError extends Error {
  readonly exit: Exit
  readonly hint: string | undefined
  readonly code: string
  constructor(exit: Exit, message: string, hint?: string, code: string = exit) {
    super(message)
    this.exit = exit
    this.hint = hint
    this.code = code
  }
}

const hints: Partial<Record<Exit, string>> = {
  notSignedIn: 'Run finmeter login, or set FINMETER_API_KEY.',
  unavailable: 'Check the address (--url, FINMETER_URL) and try again.',
}

/** Any error as one that can be shown. */
export function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (error instanceof FinmeterError) {
    const { message, code, problem } = error
    const exit = exitOf(error.status)
    const names = problem.suggestions?.length ? `Did you mean ${problem.suggestions.join(' or ')}?` : undefined
    return new CliError(exit, message, names ?? hints[exit] ?? problem.docs, code)
  }
  const { message, code } = error as { message?: string; code?: string }
  // node:util's parseArgs.
  if (code?.startsWith('ERR_PARSE_ARGS')) return new CliError('usage', message ?? 'Wrong arguments.', seeHelp)
  return new CliError('unexpected', message ?? String(error), 'Please report this.')
}

export const seeHelp = 'finmeter --help lists the commands and options.'

export function exitOf(status: number): Exit {
  if (status === 401) return 'notSignedIn'
  if (status === 402) return 'noCredits'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'notFound'
  if (status === 429) return 'rateLimited'
  return status === 0 || status >= 500 ? 'unavailable' : 'usage'
}
