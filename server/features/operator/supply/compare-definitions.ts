import type { z } from 'zod'
import type { supplyRoutes } from '#contract/operator/supply-routes.ts'
import type { Deps } from '../../../deps.ts'
import { HIDDEN } from '../../../hidden-characters.ts'
import { AppError } from '../../../http/errors.ts'
import { changedParts, type Offered, offeredPins } from '../../upstreams/mcp/offered.ts'
import { parseManifest } from '../../upstreams/read-manifest.ts'
import { readDocument, readVersion } from '../../upstreams/store.ts'
import { readUpstreamSummary } from './list-upstreams.ts'
import { digestOf, loadOffered } from './load-source.ts'

type Compared = z.input<typeof supplyRoutes.compareUpstream.data>

/**
 * Asks an MCP server what it offers now, and puts each definition that differs beside the one that was approved. Throws not_found,
 * conflict for an upstream that is no MCP server or was never published, and invalid_parameter when it cannot be asked.
 */
export async function compareDefinitions(deps: Pick<Deps, 'config' | 'db' | 'secrets'>, id: string): Promise<Compared> {
  const { published, kind } = await readUpstreamSummary(deps.db, id)
  if (kind !== 'mcp')
    throw new AppError(
      'conflict',
      `${id} is not an MCP server. Its description changes only when you publish a new version.`,
    )
  if (published === null) throw new AppError('conflict', `${id} was never published, so nothing is approved yet.`)
  const stored = (await readVersion(deps.db.kysely, id, published))!
  const [approved, now] = await Promise.all([
    readDocument(deps.db.kysely, id, published),
    loadOffered(deps, parseManifest(stored.manifest)),
  ])
  return { digest: digestOf(now), version: published, changes: changesBetween(approved!, now) }
}

/** Definitions that differ in what an operator approves, by name. */
export function changesBetween(approved: string, now: string): Compared['changes'] {
  const [before, after] = [definitionsOf(approved), definitionsOf(now)]
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): Compared['changes'] => {
    const [was, is] = [before.get(name), after.get(name)]
    if (!was) return [{ name, change: 'new', parts: partsOf(null, is!, Object.keys(is!.pins)) }]
    if (!is) return [{ name, change: 'gone', parts: partsOf(was, null, Object.keys(was.pins)) }]
    const changed = changedParts(was.pins, is.pins)
    return changed.length === 0 ? [] : [{ name, change: 'changed', parts: partsOf(was, is, changed) }]
  })
}

interface Definition {
  pins: Record<string, string>
  parts: object
}

function definitionsOf(document: string): Map<string, Definition> {
  const { tools, prompts = [], resources = [] } = JSON.parse(document) as Partial<Offered> & Pick<Offered, 'tools'>
  const offered: Offered = { tools, prompts, resources }
  const all: object[] = [...tools, ...prompts, ...resources]
  return new Map([...offeredPins(offered)].map(([name, pins], index) => [name, { pins, parts: all[index]! }]))
}

const partsOf = (was: Definition | null, is: Definition | null, names: string[]) =>
  names
    .map((part) => ({ part, approved: textOf(was, part), now: textOf(is, part) }))
    .filter(({ approved, now }) => approved !== null || now !== null)

/** As it is shown: text that others wrote, with hidden characters marked. */
function textOf(definition: Definition | null, part: string): string | null {
  const value: unknown = definition && Reflect.get(definition.parts, part)
  if (value === null || value === undefined) return null
  return (typeof value === 'string' ? value : JSON.stringify(value, null, 2)).replace(HIDDEN, '\uFFFD')
}
