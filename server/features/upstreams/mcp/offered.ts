import { createHash } from 'node:crypto'
import { sorted } from '../../tools/request-hash.ts'
import type { JsonSchema, Operation } from '../document/operation.ts'

/** Of a tool or prompt: it becomes a segment of a path. */
export const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/

/** A tool as its server lists it. */
export interface ToolDefinition {
  name: string
  title?: string | undefined
  description?: string | undefined
  inputSchema: JsonSchema
  outputSchema?: JsonSchema | undefined
  annotations?: Record<string, unknown> | undefined
}

/** A prompt as its server lists it. */
export interface PromptDefinition {
  name: string
  title?: string | undefined
  description?: string | undefined
  arguments?: { name: string; description?: string | undefined; required?: boolean | undefined }[] | undefined
}

/** A resource, by `uri`, or a pattern of resources, by `uriTemplate`, as its server lists it. */
export interface ResourceDefinition {
  uri?: string | undefined
  uriTemplate?: string | undefined
  name: string
  title?: string | undefined
  description?: string | undefined
  mimeType?: string | undefined
}

/** All that a server lists, of the kinds that were asked for. */
export interface Offered {
  tools: ToolDefinition[]
  prompts: PromptDefinition[]
  resources: ResourceDefinition[]
}

/** What an operator approves. Icons, sizes and private fields reach nobody, so they may change. */
const PARTS = {
  tools: ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  prompts: ['title', 'description', 'arguments'],
  resources: ['name', 'title', 'description', 'mimeType'],
} as const

/** The description of an MCP server that a version is read from, as text. */
export function offeredDocument(title: string, offered: Offered): string {
  const only = (kind: keyof Offered, names: readonly string[]) =>
    offered[kind].map((one) =>
      Object.fromEntries([...names, ...PARTS[kind]].map((part) => [part, Reflect.get(one, part)])),
    )
  const { prompts, resources } = offered
  return JSON.stringify(
    {
      title,
      tools: only('tools', ['name']),
      ...(prompts.length > 0 && { prompts: only('prompts', ['name']) }),
      ...(resources.length > 0 && { resources: only('resources', ['uri', 'uriTemplate']) }),
    },
    null,
    2,
  )
}

/** The hash of each part of a definition. */
export const pinsOf = (kind: keyof Offered, definition: object): Record<string, string> =>
  Object.fromEntries(
    PARTS[kind].map((part) => [
      part,
      createHash('sha256')
        .update(JSON.stringify(sorted(Reflect.get(definition, part))) ?? '')
        .digest('hex'),
    ]),
  )

/** The parts that differ; empty: it is as approved. */
export const changedParts = (approved: Record<string, string>, now: Record<string, string>): string[] =>
  Object.keys(approved).filter((part) => approved[part] !== now[part])

type Pins = Map<string, Record<string, string>>

/** The pins of what a version has, by the name under which its operator hears of it. */
export const approvedPins = (operations: readonly Operation[]): Pins =>
  new Map(
    operations.flatMap(({ id, mcp, prompt, resources }) => [
      ...(mcp ? [[id, mcp.pins] as const] : []),
      ...(prompt ? [[`prompt ${prompt.name}`, prompt.pins] as const] : []),
      ...(resources?.published ?? []).map(({ uri, pins }) => [`resource ${uri}`, pins] as const),
    ]),
  )

/** The same of what its server lists. */
export const offeredPins = ({ tools, prompts, resources }: Offered): Pins =>
  new Map([
    ...tools.map((one) => [one.name, pinsOf('tools', one)] as const),
    ...prompts.map((one) => [`prompt ${one.name}`, pinsOf('prompts', one)] as const),
    ...resources.map((one) => [`resource ${one.uri ?? one.uriTemplate}`, pinsOf('resources', one)] as const),
  ])
