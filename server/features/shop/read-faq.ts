/** The questions of a shop under one heading; answers are Markdown. */
export interface FaqPart {
  name: string
  questions: { question: string; answer: string }[]
}

/**
 * Reads a FAQ: `## A heading` above questions, `### A question?` above its answer. A title (`# FAQ`) before them is ignored. Throws an
 * Error with the line and what belongs there.
 */
export function readFaq(markdown: string): FaqPart[] {
  const parts: FaqPart[] = []
  const asked = new Set<string>()
  let open: { question: string; answer: string; line: number } | undefined
  let inCode = false
  const close = () => {
    if (open?.answer.trim() === '')
      throw problem(open.line, `"${open.question}" has no answer: write it below the question`)
    if (open) parts.at(-1)!.questions.push({ question: open.question, answer: open.answer.trim() })
    open = undefined
  }
  for (const [index, text] of markdown.replaceAll('\r\n', '\n').split('\n').entries()) {
    const line = index + 1
    if (text.startsWith('```')) inCode = !inCode
    const [, marks = '', heading = ''] = (!inCode && /^(#{1,3})[ \t]+(.*?)[ \t#]*$/.exec(text)) || []
    if (marks === '##') {
      close()
      if (parts.at(-1)?.questions.length === 0)
        throw problem(line, `"${parts.at(-1)!.name}" has no questions before it`)
      parts.push({ name: heading, questions: [] })
    } else if (marks === '###') {
      close()
      if (parts.length === 0) throw problem(line, 'a question needs a heading such as "## Billing" above it')
      if (asked.has(heading)) throw problem(line, `"${heading}" is asked twice`)
      asked.add(heading)
      open = { question: heading, answer: '', line }
    } else if (open) open.answer += `${text}\n`
    else if (text.trim() !== '' && !(marks === '#' && parts.length === 0))
      throw problem(
        line,
        'this text belongs to no question. Write "## Billing" above a group, and "### A question?" above its answer',
      )
  }
  close()
  if (asked.size === 0)
    throw new Error('has no questions. Write "## Billing" above a group, and "### A question?" above its answer')
  if (parts.at(-1)!.questions.length === 0) throw new Error(`"${parts.at(-1)!.name}" has no questions below it`)
  return parts
}

const problem = (line: number, text: string) => new Error(`line ${line}: ${text}`)
