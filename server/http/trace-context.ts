import { randomBytes } from 'node:crypto'

/** A span's position in a trace, as W3C Trace Context defines it. */
export interface TracePlace {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  sampled: boolean
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const ZEROS = /^0+$/

/** The caller's span from `traceparent`. Null if the header is missing or invalid: then the caller has no trace. */
export function readTraceparent(header: unknown): TracePlace | null {
  const parts = typeof header === 'string' ? FORM.exec(header) : null
  if (!parts) return null
  const [, version, traceId, spanId, flags, more] = parts
  // Later versions may add fields. Version ff is forbidden.
  if (version === 'ff' || (version === '00' && more !== undefined)) return null
  if (ZEROS.test(traceId!) || ZEROS.test(spanId!)) return null
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1 }
}

/** Formats a position as the value of `traceparent`. */
export const writeTraceparent = ({ traceId, spanId, sampled }: TracePlace): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

/** Our own position in the caller's trace when no spans are recorded. */
export const unrecordedPlace = ({ traceId }: TracePlace): TracePlace => ({
  traceId,
  spanId: newSpanId(),
  sampled: false,
})

function newSpanId(): string {
  const id = randomBytes(8).toString('hex')
  return ZEROS.test(id) ? newSpanId() : id
}
