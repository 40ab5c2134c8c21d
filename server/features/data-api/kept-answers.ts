import { Readable } from 'node:stream'
import type { Deps } from '../../deps.ts'
import type { Verified } from '../keys/credentials.ts'
import type { Table } from '../tools/define-tool.ts'
import type { AnsweredCall } from '../tools/prepare.ts'
import type { RestBody } from './rest-body.ts'
import type { RestQuery } from './rest-input.ts'

/** An answer as it is sent, and what a repeat of its question needs of the call. */
export interface KeptAnswer {
  query: RestQuery
  answered: AnsweredCall
  body: RestBody
  etag: string
}

interface Question {
  params: object
  query: string
  headers: { accept?: string | undefined }
}

const MS_PER_DAY = 86_400_000
/** For each tool and each view of the data, as the next one. */
const MOST_ANSWERS = 1_000
const MOST_KEPT_BYTES = 8 * 1024 * 1024
const MOST_BODY_BYTES = 64 * 1024
const MOST_QUESTION_CHARACTERS = 300
/** A longer answer is kept when its question comes again: most questions about long ones never do. */
const SHORT_BODY_BYTES = 2_048

/** Where the answer to a question is kept, and what is there. */
interface Place {
  known: KeptAnswer | undefined
  keep: (answer: KeptAnswer) => void
}

/**
 * Answers of a tool that `lasts` for a day, by the data that the caller may read: a new version of the data has none of them. Null:
 * the question is too long, or what the caller may read must be looked up first. The call itself is admitted, charged and recorded like
 * any other.
 */
export function keepAnswers(
  access: Pick<Deps['market'], 'of'>,
): (caller: Verified, question: Question) => Place | null {
  const ofMarket = new WeakMap<object, KeptAnswers>()
  return (caller, { params, query, headers: { accept = '' } }) => {
    const market = access.of(caller)
    if (market instanceof Promise) {
      // The call asks again and gets the error.
      market.catch(() => {})
      return null
    }
    const question = `${Math.floor(Date.now() / MS_PER_DAY)} ${JSON.stringify(params)} ${accept} ${query}`
    if (question.length > MOST_QUESTION_CHARACTERS) return null
    let answers = ofMarket.get(market)
    if (!answers) {
      answers = new KeptAnswers()
      ofMarket.set(market, answers)
    }
    const kept = answers
    return { known: kept.of(question), keep: (answer) => kept.keep(question, answer) }
  }
}

/** Questions with their answers; null: it was asked once, and its answer is long. The oldest makes room. */
class KeptAnswers {
  readonly #answers = new Map<string, KeptAnswer | null>()
  #bytes = 0

  of(question: string): KeptAnswer | undefined {
    return this.#answers.get(question) ?? undefined
  }

  keep(question: string, answer: KeptAnswer): void {
    const { content } = answer.body
    if (content instanceof Readable || content.length > MOST_BODY_BYTES) return
    const isKept = content.length <= SHORT_BODY_BYTES || this.#answers.has(question)
    this.#remove(question)
    this.#bytes += isKept ? content.length : 0
    this.#answers.set(question, isKept ? copyOf(answer) : null)
    while (this.#answers.size > MOST_ANSWERS || this.#bytes > MOST_KEPT_BYTES)
      this.#remove(this.#answers.keys().next().value!)
  }

  #remove(question: string): void {
    const { body } = this.#answers.get(question) ?? {}
    if (body && !(body.content instanceof Readable)) this.#bytes -= body.content.length
    this.#answers.delete(question)
  }
}

/** Without the memory that the answer shares with others (`rows/answer-buffer.ts`), and without the bars that it was made of. */
function copyOf(answer: KeptAnswer): KeptAnswer {
  const { content } = answer.body
  const { input, output } = answer.answered
  return {
    ...answer,
    answered: { input, output: factsOf(output as Table) },
    body: { ...answer.body, content: Buffer.isBuffer(content) ? Buffer.from(content) : content },
  }
}

/** What price and charge read of a table. Its `rows` are not touched, because stored ones are created when they are read. */
function factsOf(table: Table): Table {
  if (!table.stored) return table
  const { columns, meta, next_cursor } = table
  const stored = { ...table.stored(), of: null, read: () => [] }
  return { columns, meta, next_cursor, rows: [], stored: () => stored }
}
