import {
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { callOffer } from './call-offer.ts'
import { offersOf } from './offers.ts'
import type { Profile } from './profile.ts'
import type { Exchange } from './sdk-server.ts'
import { messageWithSuggestions } from './suggest.ts'

/**
 * Serves resources, templates, prompts and completion from the product's knowledge, which is free, and those of upstreams, which have a
 * price; the profile takes precedence.
 */
export function handleKnowledge(server: Server, deps: Deps, profile: Profile, exchange: Exchange): void {
  const { knowledge } = deps
  const { caller } = exchange
  const offers = offersOf(deps.tools.current())
  server.setRequestHandler('resources/list', async () => ({
    resources: [...profile.resources, ...(await knowledge.resources(caller)), ...offers.resources],
  }))
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [...profile.templates, ...(await knowledge.templates(caller)), ...offers.templates],
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri, _meta } }) => {
    const contents = profile.read(uri)
    if (contents) return { contents }
    const reader = offers.reader(uri)
    if (reader) return callOffer<ReadResourceResult>(exchange, reader, { uri }, _meta)
    return { contents: [await understood(() => knowledge.read(uri, caller), uri)] }
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: [...profile.prompts, ...knowledge.prompts(), ...offers.prompts].map((prompt) => ({
      ...prompt,
      arguments: [...prompt.arguments],
    })),
  }))
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const special = await profile.prompt(params.name, params.arguments ?? {}, context)
    if (special) return special
    const entry = offers.prompt(params.name)
    if (entry) return callOffer<GetPromptResult>(exchange, entry, params.arguments ?? {}, params._meta)
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
    if (uri !== undefined && error.code === 'not_found') throw new ResourceNotFoundError(uri.slice(0, 200), message)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { code: error.code })
  }
}
