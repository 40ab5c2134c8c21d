import type { CompletionRequest, Speech } from './protocol.ts'

const MAX_QUOTED = 300

/**
 * Not a language model: it finds symbols (words in capital letters) in the last question, requests quotes for them if there is a
 * tool for that, and repeats the results. Enough to try a conversation with tool calls without an account.
 */
export function speak({ messages, tools = [], tool_choice }: CompletionRequest): Speech {
  const question = messages.findLastIndex(({ role }) => role === 'user')
  const results = messages.slice(question).flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  if (results.length > 0)
    return { text: `The tools say: ${results.map((text) => text.slice(0, MAX_QUOTED)).join('; ')}` }
  const asked = messages[question]
  const symbols = (asked?.role === 'user' && asked.content.match(/\b[A-Z]{2,5}\b/g)) || []
  const canAsk = tool_choice !== 'none' && tools.some((tool) => tool.function.name === 'get_quote')
  if (symbols.length === 0 || !canAsk)
    return { text: 'I look up quotes for symbols in capital letters, such as AAPL. I am not a language model.' }
  return { calls: [{ name: 'get_quote', arguments: JSON.stringify({ symbols: [...new Set(symbols)] }) }] }
}
