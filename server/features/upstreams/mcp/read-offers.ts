import { nearestNames } from '../../tools/input/nearest-names.ts'
import type { Operation, PublishedResource, ReadDocument } from '../document/operation.ts'
import { shownText } from '../document/shown-text.ts'
import type { McpManifest } from '../manifest.ts'
import { NAME, type Offered, type PromptDefinition, pinsOf, type ResourceDefinition } from './offered.ts'
import { MOST_URI, templateProblem } from './resource-uris.ts'

const MOST_OFFERS = 1_000
const URI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\p{Cc}\p{Cf}]+$/u
type Read = Pick<ReadDocument, 'operations' | 'skipped'>

/**
 * The prompts and resources that a manifest publishes: each prompt as an operation `GET /prompts/<name>`, all resources together as
 * `GET /resources`. Throws an Error for a name that the server does not have.
 */
export function readOffers({ prompts, resources }: Omit<Offered, 'tools'>, manifest: McpManifest): Read {
  const read = [readPrompts(prompts, manifest), readResources(resources, manifest)]
  return { operations: read.flatMap((one) => one.operations), skipped: read.flatMap((one) => one.skipped) }
}

function readPrompts(all: readonly PromptDefinition[], { prompts: section }: McpManifest): Read {
  if (!section) return NOTHING
  requireKnown(
    'prompt',
    Object.keys(section.named),
    all.map(({ name }) => name),
  )
  return sift(
    all,
    ({ name }) => `prompt ${name}`,
    ({ name }, index) => {
      const own = section.named[name]
      if (!NAME.test(name)) return 'its name has characters that no path can have'
      if (index >= MOST_OFFERS) return `it comes after the first ${MOST_OFFERS}`
      if (own?.publish === false) return 'the manifest says so'
      return (own?.credits ?? section.credits) === undefined ? 'it has no price' : null
    },
    (chosen) => chosen.map(promptOperation),
  )
}

function promptOperation(prompt: PromptDefinition): Operation {
  const { name } = prompt
  const title = shownText(prompt.title || name, 120)
  const given = (prompt.arguments ?? []).map((one) => ({
    name: one.name,
    description: shownText(one.description ?? '', 1_024),
    required: one.required === true,
  }))
  return {
    id: `prompts/${name}`,
    method: 'GET',
    path: `/prompts/${name}`,
    title,
    description: shownText(prompt.description ?? '', 1_024) || title,
    input: {
      type: 'object',
      properties: Object.fromEntries(
        given.map((one) => [one.name, { type: 'string', ...(one.description && { description: one.description }) }]),
      ),
      required: given.filter(({ required }) => required).map((one) => one.name),
    },
    places: inQuery(given.map((one) => one.name)),
    body: null,
    response: PROMPT,
    accept: 'application/json',
    prompt: { name, pins: pinsOf('prompts', prompt), arguments: given },
  }
}

function readResources(all: readonly ResourceDefinition[], { id, resources: section }: McpManifest): Read {
  if (!section) return NOTHING
  const { only } = section
  requireKnown('resource', only ?? [], all.map(uriOf))
  return sift(
    all,
    (one) => `resource ${uriOf(one)}`,
    (one, index) => {
      const uri = uriOf(one)
      if (!URI.test(uri) || uri.length > MOST_URI) return 'its address is no URI'
      if (one.uriTemplate !== undefined && templateProblem(uri)) return templateProblem(uri)
      if (index >= MOST_OFFERS) return `it comes after the first ${MOST_OFFERS}`
      return only && !only.includes(uri) ? 'it is not named' : null
    },
    (chosen) => {
      const uris = new Set(chosen.map(uriOf))
      const withheld = all.flatMap(({ uri }) => (uri !== undefined && !uris.has(uri) ? [uri] : []))
      return chosen.length === 0 ? [] : [resourcesOperation(id, chosen.map(publishedResource), withheld)]
    },
  )
}

const publishedResource = (one: ResourceDefinition): PublishedResource => ({
  uri: uriOf(one),
  template: one.uriTemplate !== undefined,
  name: shownText(one.name, 120),
  title: shownText(one.title || one.name, 120),
  description: shownText(one.description ?? '', 1_024),
  ...(one.mimeType && { mimeType: shownText(one.mimeType, 100) }),
  pins: pinsOf('resources', one),
})

function resourcesOperation(id: string, published: PublishedResource[], withheld: string[]): Operation {
  return {
    id: 'resources/read',
    method: 'GET',
    path: '/resources',
    title: 'Read a resource',
    description: `Returns the contents of a resource of ${id}, by its URI.`,
    input: {
      type: 'object',
      properties: {
        uri: { type: 'string', maxLength: MOST_URI, description: 'As resources/list or a template says it.' },
      },
      required: ['uri'],
    },
    places: inQuery(['uri']),
    body: null,
    response: RESOURCE,
    accept: 'application/json',
    resources: { published, withheld },
  }
}

const NOTHING: Read = { operations: [], skipped: [] }
const uriOf = ({ uri, uriTemplate }: ResourceDefinition): string => uri ?? uriTemplate ?? ''
const inQuery = (names: string[]): Operation['places'] =>
  Object.fromEntries(names.map((name) => [name, { in: 'query', name, style: 'form', explode: true }]))

/** What REST answers: the result of MCP. */
const listOf = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'array', items: { type: 'object' } } },
  required: [name],
})
const PROMPT = { ...listOf('messages') }
const RESOURCE = { ...listOf('contents') }

/** `whyNot`: why one is left out; null: it is not. */
function sift<T>(
  all: readonly T[],
  nameOf: (one: T) => string,
  whyNot: (one: T, index: number) => string | null,
  make: (chosen: T[]) => Operation[],
): Read {
  const skipped: Read['skipped'] = []
  const chosen = all.filter((one, index) => {
    const reason = whyNot(one, index)
    if (reason !== null) skipped.push({ operation: shownText(nameOf(one), 200), reason })
    return reason === null
  })
  return { operations: make(chosen), skipped }
}

function requireKnown(kind: string, names: readonly string[], known: string[]): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const [nearest] = nearestNames(unknown, known)
  throw new Error(`The server has no ${kind} ${unknown}.${nearest ? ` Is it ${nearest}?` : ''}`)
}
