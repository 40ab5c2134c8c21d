import type { ListedResource } from '../tools/define-tool.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { perSnapshot } from '../tools/registry.ts'
import type { KnowledgePrompt } from './knowledge.ts'

/** What upstream MCP servers offer besides tools. It is called, and charged, as a tool of the registry. */
export interface Offers {
  prompts: readonly KnowledgePrompt[]
  resources: readonly ListedResource[]
  templates: readonly (Omit<ListedResource, 'uri'> & { uriTemplate: string })[]
  prompt: (name: string) => RegisteredTool | undefined
  /** What reads this resource; undefined for one that is not published. */
  reader: (uri: string) => RegisteredTool | undefined
}

export const offersOf = perSnapshot(({ all }): Offers => {
  const offered = all.flatMap((entry) => (entry.tool.offer ? [{ entry, offer: entry.tool.offer }] : []))
  const readers = offered.flatMap(({ entry, offer }) => (offer.kind === 'resources' ? [{ entry, offer }] : []))
  const prompts = new Map(
    offered.flatMap(({ entry, offer }) => (offer.kind === 'prompt' ? [[entry.tool.name, { entry, offer }]] : [])),
  )
  return {
    prompts: [...prompts.values()].map(({ entry: { tool }, offer }) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      arguments: offer.arguments,
      _meta: { 'finmeter/credits': tool.credits },
    })),
    resources: readers.flatMap(({ entry, offer }) => offer.resources.map((one) => priced(one, entry))),
    templates: readers.flatMap(({ entry, offer }) =>
      offer.templates.map(({ uri, ...one }) => priced({ ...one, uriTemplate: uri }, entry)),
    ),
    prompt: (name) => prompts.get(name)?.entry,
    reader: (uri) => readers.find(({ offer }) => offer.has(uri))?.entry,
  }
})

const priced = <T>(listed: T, { tool }: RegisteredTool) => ({
  ...listed,
  _meta: { 'finmeter/credits': tool.credits },
})
