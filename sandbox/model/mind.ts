import type { CompletionRequest, Speech } from './protocol.ts'

const MAX_QUOTED = 300

/**
 * No language model: it looks for symbols (words of capitals) in the last question, asks for their quotes if there is a tool
 * for that, and then repeats what came back. Enough to see a conversation with calls work without any account.
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
    return { text: 'I look up quotes of symbols written in capitals, such as AAPL. This peer is no language model.' }
  return { calls: [{ name: 'get_quote', arguments: JSON.stringify({ symbols: [...new Set(symbols)] }) }] }
}
