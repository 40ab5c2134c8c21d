import { arrived, type Case, piecesOf, type Stream, type ToolCase, textOf, type Whole } from './cases.ts'

/** What a customer must get and pay. `delivered`: the answer, or the part that arrived; otherwise an error of ours. */
export interface Expected {
  delivered: boolean
  credits: number
}

const FREE: Expected = { delivered: false, credits: 0 }
/** The highest price of whatever varies. */
const MOST = 9
const per = (size: number, count: number): number => Math.min(Math.ceil(count / size), MOST)

/** The price of a case, from what its upstream sends: delivered is paid, and failed is free. */
export const expectedOf = (one: Case): Expected =>
  one.kind === 'whole' ? ofWhole(one) : one.kind === 'stream' ? ofStream(one) : ofTool(one)

/** The same call again, with the same idempotency key: a charged answer was kept, and anything else is new work. */
export const expectedAgain = (one: Whole): Expected => {
  const first = expectedOf(one)
  return first.delivered && one.manner !== 404 ? { ...first, credits: 0 } : first
}

function ofWhole(one: Whole): Expected {
  const { operation, shape, manner, count } = one
  if ([302, 304, 500, 503, 'cut', 'short', 'gzipCut', 'gzipLie', 'big', 'hugeHeaders', 'late'].includes(manner))
    return FREE
  if (manner === 404) return { delivered: true, credits: 0 }
  const hasBody = manner !== 204
  const isJson = shape !== 'text'
  const isRead = hasBody && isJson && shape !== 'twice' && shape !== 'utf16' && manner !== 'long'
  if (hasBody && isJson && !isRead) return FREE
  const counted = ['given', 'latin1'].includes(shape) ? count : shape === 'empty' ? 0 : null
  const priced = (credits: number | null): Expected => ({ delivered: true, credits: credits ?? MOST })
  switch (operation) {
    case 'fixed':
      return priced(2)
    case 'order':
      return priced(3)
    case 'kib':
      return priced(hasBody ? per(1024, bytesOf(one)) : 0)
    case 'header':
      // Whatever the body is; in a trailer nobody reads it.
      return priced(manner === 'trailer' ? null : per(10, count * 7))
    case 'rows':
      return isRead ? priced(counted === null ? null : per(2, counted)) : FREE
    case 'given':
      return isRead ? priced(per(2, counted ?? 0)) : FREE
    case 'units':
      return isRead ? priced(counted === null ? null : per(10, counted * 7)) : FREE
  }
}

const bytesOf = (one: Whole): number =>
  Buffer.byteLength(textOf(one), one.shape === 'latin1' ? 'latin1' : 'utf8') - (one.manner === 'long' ? 5 : 0)

function ofStream(one: Stream): Expected {
  const { operation, shape, end, count } = one
  if (end === 500) return FREE
  const pieces = piecesOf(one).slice(0, arrived(one))
  const isWhole = end === 'whole' || end === 'slow'
  const paid = (credits: number): Expected => ({ delivered: true, credits })
  if (operation === 'streamKib') return paid(per(1024, pieces.join('').length))
  if (operation === 'streamEach') return paid(per(2, pieces.length))
  if (operation === 'streamFixed') return paid(end === 'cut' ? 0 : 7)
  if (operation === 'streamRows') {
    if (shape === 'envelope') return paid(end === 'cut' ? 0 : MOST)
    return paid(shape === 'empty' ? 0 : per(2, 2 * Math.min(count, pieces.length)))
  }
  const reported = shape === 'running' ? pieces.length * 4 : isWhole && shape === 'given' ? count * 4 : 0
  if (end === 'cut') return paid(per(10, reported))
  if (end === 'left') return paid(operation === 'streamFloor' ? Math.max(2, per(10, reported)) : MOST)
  return paid(['unreported', 'envelope'].includes(shape) ? MOST : per(10, reported))
}

function ofTool({ operation, shape, manner, count }: ToolCase): Expected {
  if (manner !== 'well' && manner !== 'slow') return FREE
  if (shape === 'isError' || shape === 'errorText') return { delivered: true, credits: 0 }
  if (operation === 'toolFixed') return { delivered: true, credits: 2 }
  return { delivered: true, credits: shape === 'envelope' ? MOST : shape === 'empty' ? 0 : per(2, count) }
}
