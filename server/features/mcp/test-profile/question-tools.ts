import {
  acceptedContent,
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ProtocolTool } from '../profile.ts'
import { declaredBy, fixture, text } from './protocol-tool.ts'

type Codec = ReturnType<typeof createRequestStateCodec<{ step: number; name?: string }>>

const ask = (message: string, field: string): InputRequest =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  })
const confirm = (): InputRequest =>
  inputRequired.elicit({
    message: 'Please confirm',
    requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
  })
const sample = (question: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens,
  })
const answers = (context: ServerContext) => context.mcpReq.inputResponses
const accepted = (context: ServerContext, key: string) => acceptedContent(answers(context), key)
const done = (words: string) => ({ content: [text(words)] })

/** Tools that ask the client before they answer, over several requests. State is signed by `codec`. */
export function questionTools(codec: Codec): ProtocolTool[] {
  const withState = async (step: number, inputRequests: Record<string, InputRequest>) =>
    inputRequired({ inputRequests, requestState: await codec.mint({ step }) })
  return [
    fixture('test_input_required_result_elicitation', 'Asks for a name.', (_args, context) => {
      const name = accepted(context, 'user_name')?.name
      if (typeof name === 'string') return done(`Hello, ${name}!`)
      return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
    }),
    fixture('test_input_required_result_sampling', "Asks the client's model.", (_args, context) => {
      const reply = inputResponse(answers(context), 'capital_question')
      if (reply.kind === 'sampling') return done(JSON.stringify(reply.result.content))
      return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?', 100) } })
    }),
    fixture('test_input_required_result_list_roots', "Asks for the client's roots.", (_args, context) => {
      const reply = inputResponse(answers(context), 'client_roots')
      if (reply.kind === 'roots') return done(reply.roots.map((root) => root.uri).join(' '))
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    }),
    fixture('test_input_required_result_request_state', 'Keeps state with the client.', (_args, context) => {
      const state = context.mcpReq.requestState<{ step: number }>()
      if (state?.step === 1 && accepted(context, 'confirm')) return done('state-ok')
      return withState(1, { confirm: confirm() })
    }),
    fixture('test_input_required_result_multiple_inputs', 'Asks three things at once.', (_args, context) => {
      const views = ['user_name', 'greeting', 'client_roots'].map((key) => inputResponse(answers(context), key).kind)
      if (!views.includes('missing')) return done('All three arrived.')
      return withState(1, {
        user_name: ask('What is your name?', 'name'),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      })
    }),
    fixture('test_input_required_result_multi_round', 'Asks one thing after another.', (_args, context) => {
      const step = context.mcpReq.requestState<{ step: number }>()?.step ?? 0
      if (step === 2 && accepted(context, 'step2')) return done('Both steps are done.')
      if (step >= 1 && accepted(context, 'step1'))
        return withState(2, { step2: ask('Step 2: What is your favorite color?', 'color') })
      return withState(1, { step1: ask('Step 1: What is your name?', 'name') })
    }),
    fixture('test_input_required_result_tampered_state', 'Refuses state that it did not sign.', (_args, context) => {
      if (context.mcpReq.requestState<{ step: number }>()?.step === 1) return done('The state is ours.')
      return withState(1, { confirm: confirm() })
    }),
    fixture('test_input_required_result_capabilities', 'Asks only what the client can answer.', (_args, context) => {
      const declared = declaredBy(context)
      const inputRequests = {
        ...(declared.elicitation && { name: ask('What is your name?', 'name') }),
        ...(declared.sampling && { greeting: sample('Generate a greeting', 50) }),
      }
      return Object.keys(inputRequests).length > 0
        ? inputRequired({ inputRequests })
        : done('The client can answer nothing.')
    }),
    fixture('test_streaming_elicitation', 'Asks inside its result only.', (_args, context) => {
      if (accepted(context, 'user_name')) return done('Answered.')
      return inputRequired({ inputRequests: { user_name: ask('What is your name?', 'name') } })
    }),
  ]
}

/** The prompt that asks first. */
export function askingPrompt(name: string, context: ServerContext) {
  if (name !== 'test_input_required_result_prompt') return undefined
  const given = accepted(context, 'user_context')?.context
  if (typeof given === 'string')
    return { messages: [{ role: 'user' as const, content: text(`Use this context: ${given}`) }] }
  return inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', 'context') } })
}

/** Signs what the tools above hand to the client. */
export const stateCodec = (key: Buffer): Codec => createRequestStateCodec({ key })
