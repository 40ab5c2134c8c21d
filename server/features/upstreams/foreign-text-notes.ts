import type { Tool } from '../tools/define-tool.ts'
import { shownText } from './document/shown-text.ts'

const MOST_NAMED = 10
const EXCERPT = 120
const MOST_READ = 4_000

/** How texts that were written for models, and not for people, begin. Bounded, because the texts are somebody else's. */
const SPOKEN = [
  /\b(ignore|disregard|forget|override)\b.{0,40}\b(previous|prior|above|earlier|other|all|any|your)\b.{0,40}\b(instruction|prompt|message|rule|context|tool)/is,
  /\b(do not|don't|never|without)\b.{0,30}\b(tell|telling|inform|mention|ask|asking|notify|show|reveal)\b.{0,30}\b(user|human|customer|anyone)/is,
  /<\/?\s*(system|important|instructions?|assistant|user|tool)\s*>|<\|[a-z_]{2,20}\|>|\[\/?INST\]/i,
  /\b(before|after|instead of|whenever)\b.{0,20}\b(using|calling|you use|you call)\b.{0,40}\btools?\b/is,
  /\b(send|include|pass|read|append|upload|forward|reveal)\b.{0,60}(\b(conversation|chat history|system prompt|private keys?|id_rsa)\b|\.ssh\b|\.env\b)/is,
]
/** What `shownText` puts for a character that nobody sees. */
const HIDDEN = '\uFFFD'

/**
 * What the operator should read before models do: descriptions, titles and texts in schemas that give orders to models or have hidden
 * characters. Such text is shown, not taken out: what it means is for a person to judge.
 */
export function foreignTextNotes(tools: readonly Tool[]): string[] {
  const found = tools.flatMap((tool) => {
    const excerpt = textsOf(tool).map(spokenIn).find(Boolean)
    return excerpt ? [`  ${tool.name}: ${excerpt}`] : []
  })
  if (found.length === 0) return []
  const more = found.length > MOST_NAMED ? [`  and ${found.length - MOST_NAMED} more`] : []
  return [
    [
      'Warning: these texts speak to the model or have hidden characters (shown as \uFFFD). Read them before you sell them:',
      ...found.slice(0, MOST_NAMED),
      ...more,
    ].join('\n'),
  ]
}

function spokenIn(text: string): string | undefined {
  const hidden = text.indexOf(HIDDEN)
  const at = hidden === -1 ? Math.min(...SPOKEN.map((pattern) => foundAt(pattern, text))) : hidden
  if (at === Number.POSITIVE_INFINITY) return undefined
  return `"${shownText(text.slice(Math.max(0, at - 20)), EXCERPT).replaceAll(/\s+/g, ' ')}"`
}

const foundAt = (pattern: RegExp, text: string): number => pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY

function textsOf({ title, description, input, offer }: Tool): string[] {
  const texts: string[] = []
  const waiting: unknown[] = [title, description, 'jsonSchema' in input ? input.jsonSchema : null, offer]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one === 'string') texts.push(one.slice(0, MOST_READ))
    else if (one !== null && typeof one === 'object') for (const pair of Object.entries(one)) waiting.push(...pair)
  }
  return texts
}
