import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import { AppError } from '../../http/errors.ts'
import type { Caller } from '../metering/meter.ts'
import type { Knowledge } from './knowledge.ts'
import type { Profile } from './profile.ts'
import { messageWithSuggestions } from './suggest.ts'

/** Serves resources, templates, prompts and completion from the product's knowledge; the profile takes precedence. */
export function handleKnowledge(server: Server, knowledge: Knowledge, profile: Profile, caller: Caller): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: [...profile.resources, ...(await knowledge.resources(caller))],
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...profile.templates, ...knowledge.templates],
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const contents = profile.read(uri)
    if (contents) return { contents }
    return { contents: [await understood(() => knowledge.read(uri, caller), uri)] }
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: [...profile.prompts, ...knowledge.prompts].map((prompt) => ({
      ...prompt,
      arguments: [...prompt.arguments],
    })),
  }))
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const special = await profile.prompt(params.name, params.arguments ?? {}, context)
    if (special) return special
    const { description, text } = await understood(() => knowledge.prompt(params.name, params.arguments ?? {}))
    return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => ({
    completion: await knowledge.complete(ref, argument, caller),
  }))
}

/** Turns the caller's mistakes into protocol errors. `uri` is the requested resource, if any. */
async function understood<T>(work: () => Promise<T> | T, uri?: string): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = messageWithSuggestions(error)
    if (uri !== undefined && error.code === 'not_found') throw new ResourceNotFoundError(uri, message)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code: error.code })
  }
}
