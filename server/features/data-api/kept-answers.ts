import type { Deps } from '../../deps.ts'
import type { Verified } from '../keys/credentials.ts'
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
/** For each tool and each view of the data. With the sizes below, a few MB at most. */
const MOST_ANSWERS = 1_000
const MOST_QUESTION_CHARACTERS = 300
const MOST_BODY_CHARACTERS = 2_048

/** Where the answer to a question is kept, and what is there. */
interface Place {
  known: KeptAnswer | undefined
  keep: (answer: KeptAnswer) => void
}

/**
 * Short answers of a tool that `lasts` for a day, by the data that the caller may read: a new version of the data has none of them. Null:
 * the question is too long, or what the caller may read must be looked up first. The call itself is admitted, charged and recorded like
 * any other.
 */
export function keepAnswers(
  access: Pick<Deps['market'], 'of'>,
): (caller: Verified, question: Question) => Place | null {
  const ofMarket = new WeakMap<object, Map<string, KeptAnswer>>()
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
      answers = new Map()
      ofMarket.set(market, answers)
    }
    const kept = answers
    return {
      known: kept.get(question),
      keep(answer) {
        const { content } = answer.body
        if (typeof content !== 'string' || content.length > MOST_BODY_CHARACTERS) return
        if (kept.size >= MOST_ANSWERS) kept.delete(kept.keys().next().value!)
        kept.set(question, answer)
      },
    }
  }
}
