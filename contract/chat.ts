import { z } from 'zod'

const MAX_MESSAGE_CHARACTERS = 20_000
const MAX_MESSAGES = 60
/** Maximum number of calls read from one turn. */
export const MAX_CALLS_OF_A_TURN = 8

const text = z.string('must be text').max(MAX_MESSAGE_CHARACTERS, `is longer than ${MAX_MESSAGE_CHARACTERS} characters`)
const call = {
  /** The id from the model; results refer to it. */
  id: z.string().min(1).max(200),
  tool: z.string().max(200),
  arguments: z.record(z.string(), z.unknown()),
}

/** One message of a conversation with the model. The page stores the conversation and sends all of it. */
export const chatMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: text }),
  z.strictObject({
    role: z.literal('assistant'),
    content: text.nullable(),
    calls: z.array(z.strictObject(call)).max(MAX_CALLS_OF_A_TURN).default([]),
  }),
  /** The result of a call: the tool's text, its error, or that the person declined. */
  z.strictObject({ role: z.literal('tool'), callId: call.id, content: text }),
])
export type ChatMessage = z.infer<typeof chatMessage>

export const chatRequest = z.strictObject({
  messages: z.array(chatMessage).min(1, 'must not be empty').max(MAX_MESSAGES, `contains more than ${MAX_MESSAGES}`),
  /** The API key that calls would be charged to; null or absent: the account itself. */
  keyId: z.uuid('must be the id of an API key').nullish(),
})

/**
 * A call that the model wants. It costs `credits`, or is invalid because of `problem`, which is addressed to the model.
 */
export const proposedCall = z.object({ ...call, credits: z.int(), problem: z.string().nullable() })
export type ProposedCall = z.infer<typeof proposedCall>

/** `calls` is empty when the model is done; then `text` is its answer. */
export const chatTurn = z.object({
  text: z.string().nullable(),
  calls: z.array(proposedCall),
  /** Tokens of this turn as counted by the model's endpoint; null if it does not count them. */
  tokens: z.int().nullable(),
})
export type ChatTurn = z.infer<typeof chatTurn>
