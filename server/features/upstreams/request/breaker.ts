import { CircuitState, circuitBreaker, handleWhen, type IBreaker } from 'cockatiel'
import { AppError } from '../../../http/errors.ts'
import { UpstreamFailure } from './failure.ts'

/** Opens at so many failures within a time, whatever share of the calls they are: a busy upstream that fails in part is not cut off early. */
class ErrorsWithin implements IBreaker {
  state: number[] = []
  readonly #errors: number
  readonly #withinMs: number

  constructor(errors: number, withinMs: number) {
    this.#errors = errors
    this.#withinMs = withinMs
  }

  success(state: CircuitState): void {
    if (state === CircuitState.HalfOpen) this.state = []
  }

  failure(state: CircuitState): boolean {
    const nowMs = performance.now()
    this.state = [...this.state.filter((atMs) => atMs > nowMs - this.#withinMs), nowMs].slice(-this.#errors)
    return state === CircuitState.HalfOpen || this.state.length >= this.#errors
  }
}

/**
 * A circuit breaker for one upstream: after so many failures within so many seconds, calls are refused for `rest_s` seconds; then one is
 * let through to try. What counts is an UpstreamFailure that is not of one call and asks for no rest, and a call whose time was up.
 */
export const createBreaker = ({ errors, within_s, rest_s }: { errors: number; within_s: number; rest_s: number }) =>
  circuitBreaker(
    handleWhen(
      (error) =>
        (error instanceof UpstreamFailure && !error.ofOneCall && !error.rests) ||
        (error instanceof AppError && error.code === 'tool_timeout'),
    ),
    { halfOpenAfter: rest_s * 1_000, breaker: new ErrorsWithin(errors, within_s * 1_000) },
  )
