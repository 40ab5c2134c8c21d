import { AppError } from '../../../http/errors.ts'

/**
 * Runs verbs that commands use too. They refuse with a plain Error in words for the operator, which becomes `code`; any other
 * error is a defect and stays one.
 */
export async function refusing<T>(code: 'conflict' | 'invalid_parameter', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isRefusal(error)) throw new AppError(code, error.message)
    throw error
  }
}

/** Throws conflict unless the page showed the version that is served: two who undo at once undo one. */
export function requireServed(yours: number, current: number | null): void {
  if (yours !== current)
    throw new AppError(
      'conflict',
      `Version ${current ?? 0} was published after you opened this page. Reload the page.`,
      { versions: { yours, current } },
    )
}

/** Whether a verb threw it on purpose: errors of the system have a code, those of the language a class. */
export const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && error.constructor === Error && !('code' in error)
