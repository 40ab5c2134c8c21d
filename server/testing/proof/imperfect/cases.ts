/** Operations of the imperfect API; each name says how it is priced. `order` is POST, those with `stream` stream. */
export const wholes = ['fixed', 'rows', 'given', 'header', 'units', 'kib', 'order'] as const
export const streams = ['streamFixed', 'streamEach', 'streamRows', 'streamReport', 'streamFloor', 'streamKib'] as const
/** Tools of the imperfect MCP server. */
export const tools = ['toolFixed', 'toolRows'] as const

/** What is in an answer. `given`: as described. The others are what customers can ask some servers for, or what these do by mistake. */
export const shapes = [
  'given',
  'given',
  'empty',
  'envelope',
  'nothing',
  'object',
  'twice',
  'utf16',
  'latin1',
  'text',
] as const
/** How it is sent. `short` and `long`: the length that it states. `late`: never. `trailer`: the report comes after the body. */
export const manners = [
  ...(['well', 'well', 'chunked', 'slow', 'gzip', 'trailer', 'cut', 'short', 'long'] as const),
  ...(['gzipCut', 'gzipLie', 'big', 'hugeHeaders', 202, 204, 206, 302, 304, 404, 500, 503] as const),
] as const
/** Of streams: a report at the end, with each piece, or none; rows elsewhere, or none. */
export const streamShapes = ['given', 'given', 'running', 'unreported', 'envelope', 'empty'] as const
/** `left`: by the customer, over REST only. */
export const streamEnds = ['whole', 'slow', 'cut', 'left', 500] as const
export const toolShapes = ['given', 'given', 'empty', 'envelope', 'isError', 'errorText'] as const
export const toolManners = ['well', 'well', 'slow', 'cut', 'twice', 202, 500, 'notJson', 'hugeHeaders'] as const

interface Common {
  id: number
  /** Our own door that the customer uses. */
  door: 'rest' | 'mcp'
  /** Rows, or pieces of a stream. */
  count: number
}
export type Whole = Common & {
  kind: 'whole'
  operation: (typeof wholes)[number]
  shape: (typeof shapes)[number]
  manner: (typeof manners)[number] | 'late'
  /** Sent again, with the same idempotency key. */
  repeats: boolean
}
export type Stream = Common & {
  kind: 'stream'
  operation: (typeof streams)[number]
  shape: (typeof streamShapes)[number]
  end: (typeof streamEnds)[number]
  form: 'lines' | 'events'
}
export type ToolCase = Common & {
  kind: 'tool'
  operation: (typeof tools)[number]
  shape: (typeof toolShapes)[number]
  manner: (typeof toolManners)[number] | 'late'
}
export type Case = Whole | Stream | ToolCase

/** Is in every answer, so that a customer who has it has the answer. */
export const token = ({ id }: Pick<Case, 'id'>): string => `token-${id}-`

/** The same cases for the same seed. Late answers are rare, because each is waited for. */
export function createDraw(seed: number): (id: number) => Case {
  let state = seed
  const random = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  return (id) => {
    const common = { id, door: pick(['rest', 'mcp'] as const), count: 1 + Math.floor(random() * 30) }
    const kind = random()
    const isLate = random() < 0.005
    if (kind < 0.5)
      return {
        ...{ ...common, kind: 'whole', operation: pick(wholes), shape: pick(shapes) },
        manner: isLate ? 'late' : pick(manners),
        repeats: random() < 0.2,
      }
    if (kind < 0.8) {
      const end = pick(streamEnds)
      const form = pick(['lines', 'events'] as const)
      const door = end === 'left' ? 'rest' : common.door
      return { ...common, door, kind: 'stream', operation: pick(streams), shape: pick(streamShapes), end, form }
    }
    const manner = isLate ? 'late' : pick(toolManners)
    return { ...common, kind: 'tool', operation: pick(tools), shape: pick(toolShapes), manner }
  }
}

/** The body of a whole answer as text, before it is encoded. */
export function textOf(one: Whole): string {
  const all = Array.from({ length: one.count }, (_, n) => `row ${n}`)
  const begin = { token: token(one), note: 'café' }
  const padding = one.manner === 'big' ? { padding: 'x'.repeat(60_000) } : {}
  const { shape } = one
  if (shape === 'text') return `${token(one)} as text ${'x'.repeat(one.manner === 'big' ? 60_000 : 10)}`
  if (shape === 'envelope') return JSON.stringify({ ...begin, data: { items: all, usage: one.count * 7 }, ...padding })
  const items = shape === 'empty' ? [] : shape === 'nothing' ? null : shape === 'object' ? { ...all } : all
  const usage = shape === 'empty' ? 0 : shape === 'nothing' ? null : shape === 'object' ? 'many' : one.count * 7
  const text = JSON.stringify({ ...begin, items, usage, ...padding })
  return shape === 'twice' ? text + text : text
}

/** The pieces of a stream: the last is the report, where there is one. */
export function piecesOf(one: Stream): string[] {
  const { count, shape, form } = one
  const values: object[] = Array.from({ length: count }, (_, n) => {
    const begin = { token: token(one), ...(shape === 'running' && { usage: (n + 1) * 4 }) }
    if (shape === 'envelope') return { ...begin, data: { items: [1, 2] } }
    return { ...begin, items: shape === 'empty' ? [] : [1, 2] }
  })
  if (shape === 'given' || shape === 'empty') values.push({ usage: shape === 'empty' ? 0 : count * 4 })
  return values.map((value) => (form === 'lines' ? `${JSON.stringify(value)}\n` : `data: ${JSON.stringify(value)}\n\n`))
}

/** How many pieces arrive before a stream is cut or left: never the last. */
export const arrived = (one: Stream): number =>
  one.end === 'cut' || one.end === 'left'
    ? Math.max(1, Math.min(one.count, piecesOf(one).length - 1))
    : piecesOf(one).length
