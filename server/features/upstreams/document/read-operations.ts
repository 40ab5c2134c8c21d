import { ownOf } from '../../../json-schema/own-of.ts'
import type { OperationSettings } from '../manifest.ts'
import { exampleOf, givenExample } from './examples.ts'
import { flattenInputs, NotOffered } from './flatten-inputs.ts'
import type { OpenApi } from './load-document.ts'
import type { Operation, ReadDocument } from './operation.ts'
import { BadReference, createSchemaCopier, resolve } from './references.ts'
import { shownText } from './shown-text.ts'
import { createNarrowerThan } from './templates.ts'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
/** Other methods have no REST path here. */
const OTHER_METHODS = ['head', 'options', 'trace']

interface Described {
  operationId?: unknown
  summary?: unknown
  description?: unknown
  parameters?: unknown[]
  requestBody?: unknown
  responses?: Record<string, unknown>
}

/**
 * All operations of a description. `omit` tells parameters that the operator's credential fills. An operation that cannot be offered
 * is in `skipped`, with the reason; the others are not affected. `inputsOf`: what the manifest says of an operation's inputs. Throws an
 * Error where that does not fit.
 */
export function readOperations(
  document: OpenApi,
  warnings: string[],
  omit: (place: string, name: string) => boolean,
  inputsOf: (operation: string) => OperationSettings['inputs'] = () => undefined,
): ReadDocument {
  const { copy, schemas } = createSchemaCopier(document)
  const operations = new Map<string, Operation>()
  const skipped: ReadDocument['skipped'] = []
  const unsent = new Set<string>()
  const items = Object.entries(document.paths ?? {}).map(
    ([path, item]) => [path, resolve<Record<string, unknown>>(document, item) ?? {}] as const,
  )
  const narrowerThan = Object.fromEntries(
    METHODS.map((method) => [
      method,
      createNarrowerThan(items.filter(([, item]) => item[method]).map(([path]) => path)),
    ]),
  ) as Record<(typeof METHODS)[number], ReturnType<typeof createNarrowerThan>>
  for (const [path, shared] of items) {
    for (const method of METHODS) {
      const described = shared[method] as Described | undefined
      if (!described) continue
      const id = typeof described.operationId === 'string' ? described.operationId : madeId(method, path)
      try {
        if (operations.has(id)) throw new NotOffered('another operation has this id')
        const own = [...((shared.parameters as unknown[]) ?? []), ...(described.parameters ?? [])]
        const { unsent: left, ...operation } = readOperation(
          document,
          id,
          method,
          path,
          { ...described, parameters: own },
          copy,
          omit,
        )
        for (const name of left) unsent.add(name)
        const narrower = narrowerThan[method](path, allowSlashes(operation, inputsOf(id)))
        operations.set(id, narrower.length > 0 ? { ...operation, narrower } : operation)
      } catch (error) {
        if (!(error instanceof NotOffered || error instanceof BadReference)) throw error
        skipped.push({ operation: id, reason: error.message })
      }
    }
    for (const method of OTHER_METHODS)
      if (shared[method])
        skipped.push({ operation: madeId(method, path), reason: `the method is ${method.toUpperCase()}` })
  }
  const title = typeof document.info?.title === 'string' ? shownText(document.info.title, 200) : ''
  return { title, operations: [...operations.values()], schemas, skipped, unsent: [...unsent], warnings }
}

function readOperation(
  document: OpenApi,
  id: string,
  method: (typeof METHODS)[number],
  path: string,
  described: Described,
  copy: ReturnType<typeof createSchemaCopier>['copy'],
  omit: (place: string, name: string) => boolean,
): Operation & { unsent: string[] } {
  if (!path.startsWith('/') || /[?#\\%\s\p{C}]|\/\.{1,2}(\/|$)/u.test(path))
    throw new NotOffered('its path has a query, a fragment or other characters that no path here may have')
  const inputs = flattenInputs(document, described.parameters ?? [], described.requestBody, copy, omit)
  const inPath = Object.values(inputs.places).filter((place) => place.in === 'path')
  for (const [, name] of path.matchAll(/\{([^{}]*)\}/g))
    if (!inPath.some((place) => place.name === name))
      throw new NotOffered(`its path names ${name}, which is no parameter`)
  const unused = inPath.find(({ name }) => !path.includes(`{${name}}`))
  if (unused) throw new NotOffered(`the parameter ${unused.name} is not in its path`)
  const { accept, ...answers } = answersOf(document, described.responses ?? {}, copy)
  const summary = typeof described.summary === 'string' ? described.summary : id
  return {
    id,
    method: method.toUpperCase() as Operation['method'],
    path,
    title: shownText(summary, 120),
    description: shownText(typeof described.description === 'string' ? described.description : summary, 1_024),
    ...inputs,
    ...answers,
    accept,
  }
}

/** Lets the values of one parameter have slashes, and returns its name in the path. Throws an Error for what is no path parameter. */
function allowSlashes({ id, places }: Operation, inputs: OperationSettings['inputs'] = {}): string | undefined {
  const [name, second] = Object.keys(inputs)
  if (name === undefined) return undefined
  const place = ownOf(places, name)
  if (place?.in !== 'path') {
    const known = Object.keys(places).filter((one) => places[one]!.in === 'path')
    throw new Error(
      `operations.${id}.inputs.${name}: it is no path parameter. There are: ${known.join(', ') || 'none'}`,
    )
  }
  if (second !== undefined)
    throw new Error(`operations.${id}.inputs.${second}: only one parameter of a path may have slashes`)
  place.slashes = 'encode'
  return place.name
}

/** The JSON of the first successful answer, and every type of answer. */
function answersOf(
  document: OpenApi,
  responses: Record<string, unknown>,
  copy: ReturnType<typeof createSchemaCopier>['copy'],
): Pick<Operation, 'response' | 'responseExample' | 'accept'> {
  const types = new Set<string>()
  let response: Operation['response'] = null
  let responseExample: unknown
  for (const [status, given] of Object.entries(responses)) {
    if (!/^(2\d\d|2XX|default)$/i.test(status)) continue
    const { content = {} } = resolve<{ content?: Record<string, { schema?: unknown }> }>(document, given) ?? {}
    for (const [type, media] of Object.entries(content)) {
      const { schema } = media
      types.add(type)
      if (response !== null || status === 'default' || !schema || !/[/+]json\b/.test(type)) continue
      response = copy(schema)
      responseExample = givenExample(document, media) ?? exampleOf(document, schema)
    }
  }
  const named = [...types].filter((type) => /^[\w.+*-]+\/[\w.+*-]+$/.test(type))
  return {
    response,
    ...(responseExample !== undefined && { responseExample }),
    accept: named.length > 0 ? named.slice(0, 8).join(', ') : '*/*',
  }
}

/** `get_users_by_id` for GET /users/{id}. */
const madeId = (method: string, path: string): string =>
  [method, ...path.split('/').map((step) => step.replace(/^\{(.*)\}$/, 'by_$1'))]
    .map((word) => word.replace(/\W+/g, '_'))
    .filter(Boolean)
    .join('_')
