import type { BodyAnswer, CreditRule } from '../define-tool.ts'
import { bodyPrice, type Counted, countOf, missingPrice, mostOf, portions, valueAt } from '../price.ts'

/** Longer lines are delivered like any other, but not read for their price: they count as one in which it is missing. */
const MOST_LINE_BYTES = 1024 * 1024

/** A body that is read as a whole, and is longer, costs the most. */
const MOST_BODY_BYTES = 8 * 1024 * 1024

/**
 * `ended`: by the upstream. `left`: by the customer, or by a limit of ours. `broken`: by the upstream, before its end, or by a server that
 * stops.
 */
export type StreamEnd = 'ended' | 'left' | 'broken'

export type StreamForm = 'events' | 'lines' | null

/** How a stream is divided: server-sent events, one JSON value a line, or not at all. */
export function streamForm(headers: BodyAnswer['headers']): StreamForm {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/event-stream') return 'events'
  return /^application\/(x-)?(ndjson|jsonl|jsonlines|json-seq)$/.test(type) ? 'lines' : null
}

/** Adds up what a stream delivered, by the rule of its tool. */
export class StreamPrice {
  readonly #rule: CreditRule
  readonly #headers: BodyAnswer['headers']
  readonly #form: StreamForm
  readonly #reads: boolean
  #line = ''
  #skips = false
  #count = 0
  #found = false
  #unread = false
  #decoder = new TextDecoder()
  #body: Buffer[] = []
  bytes = 0
  /** The price is read from the body as a whole: it is JSON, and neither events nor lines. */
  readonly isOfWhole: boolean

  constructor(rule: CreditRule, headers: BodyAnswer['headers']) {
    this.#rule = rule
    this.#headers = headers
    this.#form = streamForm(headers)
    this.#reads = 'at' in rule
    this.isOfWhole = this.#reads && this.#form === null
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    if (!this.#reads) return
    if (this.isOfWhole) {
      if (this.bytes <= MOST_BODY_BYTES) this.#body.push(chunk)
      else this.#body = []
      return
    }
    const parts = this.#decoder.decode(chunk, { stream: true }).split(/\r\n|\n|\r/)
    for (const [at, part] of parts.entries()) {
      if (at > 0) this.#endLine()
      if (this.#line.length + part.length > MOST_LINE_BYTES) this.#skips = true
      this.#line = this.#skips ? '' : this.#line + part
    }
  }

  /** The price of what was delivered. Of a stream with an end, a last line without one counts. */
  counted(end: StreamEnd): Counted {
    const rule = this.#rule
    const whole = end === 'ended'
    if (this.isOfWhole) return this.#priceOfWhole(whole)
    if (whole) this.#endLine()
    if (rule.kind === 'fixed') return { credits: whole || this.bytes > 0 ? rule.credits : 0 }
    if (rule.kind === 'kib') return { credits: portions(rule, this.bytes), units: this.bytes / 1024 }
    if ('perRows' in rule) return { credits: 0 }
    if ('header' in rule) this.#note(this.#headers[rule.header.toLowerCase()])
    const units = this.#count
    const counted = portions(rule, units)
    const isEach = rule.kind === 'rows' && rule.at === ''
    // What the upstream broke off had no end in which the rest could have been.
    if (isEach || end === 'broken' || this.bytes === 0) return { credits: counted, units }
    // A report comes when the work is done: a customer who does not wait for it must not have the work for nothing.
    if (end === 'left' && rule.kind === 'unit' && 'at' in rule)
      return { credits: Math.max(counted, rule.floor ?? rule.most), units }
    return { credits: this.#found && !this.#unread ? counted : Math.max(counted, missingPrice(rule)), units }
  }

  /** The most for what cannot be read: a customer who leaves before the last byte has the rest. */
  #priceOfWhole(whole: boolean): Counted {
    if (this.bytes === 0) return { credits: 0 }
    if (whole && this.bytes <= MOST_BODY_BYTES)
      try {
        return bodyPrice(this.#rule, { status: 200, headers: this.#headers, body: Buffer.concat(this.#body) })
      } catch {
        // It is no JSON.
      }
    return { credits: mostOf(this.#rule)! }
  }

  #endLine(): void {
    const line = this.#line
    const skipped = this.#skips
    this.#line = ''
    this.#skips = false
    const data = this.#form === 'events' ? (line.startsWith('data:') ? line.slice(5).trim() : '') : line.trim()
    if (skipped) this.#take(undefined)
    else if (data !== '' && data !== '[DONE]') this.#take(jsonOrNothing(data))
    this.#unread ||= skipped
  }

  #take(value: unknown): void {
    const rule = this.#rule
    if (!('at' in rule)) return
    if (rule.at !== '') this.#note(valueAt(value, rule.at))
    else if (rule.kind === 'unit') this.#note(value)
    else this.#note([value])
  }

  #note(found: unknown): void {
    const rule = this.#rule
    if (rule.kind === 'fixed' || rule.kind === 'kib' || 'perRows' in rule) return
    const count = countOf(rule, found)
    if (count === undefined) return
    this.#found = true
    // Reports are totals: the last one counts, and one that fell cannot take back what was delivered.
    this.#count = rule.kind === 'unit' ? Math.max(this.#count, count) : this.#count + count
  }
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
