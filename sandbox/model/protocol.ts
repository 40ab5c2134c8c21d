import { z } from 'zod'

/** A request of the chat completions protocol; unknown fields are ignored, as real endpoints do. */
const toolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})
const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
])
export const completionRequest = z.object({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({
          name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
          description: z.string().optional(),
          parameters: z.looseObject({ type: z.literal('object') }).optional(),
        }),
      }),
    )
    .optional(),
  tool_choice: z.enum(['auto', 'none', 'required']).default('auto'),
  stream: z.literal(false, 'The sandbox does not stream.').optional(),
})
export type CompletionRequest = z.output<typeof completionRequest>

/** The model's answer: text, or tool calls. */
export type Speech = { text: string } | { calls: { name: string; arguments: string }[] }

/** What is wrong with the order of messages, in OpenAI's words; null if nothing is. */
export function wrongOrder({ messages }: CompletionRequest): string | null {
  const open = new Set<string>()
  for (const [index, one] of messages.entries()) {
    if (one.role === 'tool') {
      if (!open.delete(one.tool_call_id))
        return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls' (messages.[${index}].role).`
    } else if (open.size > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`
    if (one.role === 'assistant') for (const { id } of one.tool_calls ?? []) open.add(id)
  }
  return open.size > 0 ? 'The last tool_calls have no response messages.' : null
}
