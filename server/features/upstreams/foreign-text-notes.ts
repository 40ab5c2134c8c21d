import { HIDDEN } from '../../hidden-characters.ts'
import type { InputShape, OutputShape, Tool } from '../tools/define-tool.ts'
import { shownText } from './document/shown-text.ts'

const MOST_NAMED = 10
const EXCERPT = 120
/** Characters and values of all tools together. Reading so many takes at most about a second. */
const MOST_READ = 10_000_000

/** How texts that were written for models, and not for people, begin. Bounded, because the texts are somebody else's. */
const SPOKEN = [
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|other|all|any|your)\b.{0,40}\b(instruction|prompt|message|rule|context|tool)/is,
  /\b(do not|don't|never|without)\b.{0,30}\b(tell|telling|inform|mention|ask|asking|notify|show|reveal)\b.{0,30}\b(user|human|customer|anyone)/is,
  /<\/?\s*(system|important|instructions?|assistant|user|tool)\s*>|<\|[a-z_]{2,20}\|>|\[\/?INST\]/i,
  /\b(before|after|instead of|whenever)\b.{0,20}\b(using|calling|you use|you call)\b.{0,40}\btools?\b/is,
  /\b(send|include|pass|read|append|upload|forward|reveal)\b.{0,60}(\b(conversation|chat history|system prompt|private keys?|id_rsa)\b|\.ssh\b|\.env\b)/is,
]
/** A hidden character, or what `shownText` puts for one. */
const UNSEEN = new RegExp(`\uFFFD|${HIDDEN.source}`, 'u')

/**
 * What the operator should read before models do, a line each: texts, names and values in which others give orders to models or hide
 * characters. Such text is shown, not taken out: what it means is for a person to judge.
 */
export function foreignTextNotes(tools: readonly Tool[], mostRead = MOST_READ): string[] {
  const excerpts = new Map<string, string | undefined>()
  let left = mostRead
  const excerptOf = (text: string): string | undefined => {
    if (!excerpts.has(text)) {
      excerpts.set(text, spokenIn(text.slice(0, left)))
      left -= text.length
    }
    return excerpts.get(text)
  }
  const excerptIn = ({
    title,
    description,
    input,
    output,
    offer,
    example,
    exampleAnswer,
  }: Tool): string | undefined => {
    const waiting: unknown[] = [exampleAnswer, example, offer, schemaOf(output), schemaOf(input), description, title]
    while (waiting.length > 0 && left > 0) {
      left--
      const one = waiting.pop()
      const excerpt = typeof one === 'string' ? excerptOf(one) : undefined
      if (excerpt) return excerpt
      if (one !== null && typeof one === 'object') for (const pair of Object.entries(one)) waiting.push(...pair)
    }
    return undefined
  }
  const found = tools.flatMap((tool) => {
    const excerpt = excerptIn(tool)
    return excerpt ? [`  ${tool.name}: ${excerpt}`] : []
  })
  const more = [
    ...(found.length > MOST_NAMED ? [`  and ${found.length - MOST_NAMED} more`] : []),
    ...(left > 0 ? [] : [`  Only the first ${mostRead.toLocaleString('en-US')} characters and values were read.`]),
  ]
  if (found.length + more.length === 0) return []
  return [
    'Warning: these texts speak to the model or have hidden characters (shown as \uFFFD). Read them before you sell them:',
    ...found.slice(0, MOST_NAMED),
    ...more,
  ]
}

const schemaOf = (shape: InputShape | OutputShape): unknown => ('jsonSchema' in shape ? shape.jsonSchema : null)

function spokenIn(text: string): string | undefined {
  const hidden = text.search(UNSEEN)
  const at = hidden === -1 ? Math.min(...SPOKEN.map((pattern) => foundAt(pattern, text))) : hidden
  if (at === Number.POSITIVE_INFINITY) return undefined
  return `"${shownText(text.slice(Math.max(0, at - 20)), EXCERPT).replaceAll(/\s+/g, ' ')}"`
}

const foundAt = (pattern: RegExp, text: string): number => pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY
