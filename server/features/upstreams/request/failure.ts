import { AppError } from '../../../http/errors.ts'

/** The upstream did not do its part. The text is for the operator's log; customers read that of `toAppError`. */
export class UpstreamFailure extends Error {
  override name = 'UpstreamFailure'
  /** Seconds after which the upstream wants to be asked again. */
  readonly retryAfterS: number | undefined
  /** It does not accept the credential, or wants fewer calls. */
  readonly refused: boolean
  /** No byte of an answer had arrived. */
  readonly unanswered: boolean
  /** A customer can cause it at will with one call, so it does not count as a failure of the upstream. */
  readonly ofOneCall: boolean

  constructor(
    message: string,
    {
      retryAfterS,
      unanswered = false,
      ofOneCall = false,
      refused = false,
      cause,
    }: {
      retryAfterS?: number | undefined
      unanswered?: boolean
      ofOneCall?: boolean
      refused?: boolean
      cause?: unknown
    } = {},
  ) {
    super(message, { cause })
    this.retryAfterS = retryAfterS
    this.unanswered = unanswered
    this.ofOneCall = ofOneCall
    this.refused = refused
  }
}

/** The error that a customer gets. It says nothing of what lies behind. */
export const toAppError = (name: string, { retryAfterS }: Pick<UpstreamFailure, 'retryAfterS'>): AppError =>
  new AppError(
    'upstream_failed',
    `${name} did not return a usable response. Nothing was charged.`,
    retryAfterS === undefined ? {} : { retryAfterSeconds: retryAfterS },
  )
