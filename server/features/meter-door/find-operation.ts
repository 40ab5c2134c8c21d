import { AppError } from '../../http/errors.ts'
import type { Tool } from '../tools/define-tool.ts'
import type { RegisteredTool, ToolRegistry } from '../tools/registry.ts'
import type { ServiceKey } from './verify-service-key.ts'

/** The operation of a tool that stands for another server's. */
const upstreamOf = (tool: Tool) => (tool as { upstream?: { id: string; method: string; path: string } }).upstream

/** Whether a service key may charge a tool's calls. */
const covers = ({ upstreams }: ServiceKey, tool: Tool): boolean =>
  upstreams === null || upstreams.includes(upstreamOf(tool)?.id ?? '')

/** The operation of this name. Throws unknown_tool, also for one that the service key does not cover. */
export function findOperation(tools: ToolRegistry, key: ServiceKey, name: string): RegisteredTool {
  const entry = tools.get(name)
  if (!entry || !covers(key, entry.tool))
    throw new AppError('unknown_tool', 'There is no operation with this name for this service key.', {
      param: 'operation',
    })
  return entry
}

/**
 * The operation of a request to an upstream, by its method and path template. Of several templates that fit, the one with the
 * most fixed segments counts. Throws unknown_tool: what is not published is not served. Throws conflict if two upstreams
 * have the same template; then the gateway must name one. `segments` are decoded.
 */
export function findOperationAt(
  tools: ToolRegistry,
  key: ServiceKey,
  { method, segments, upstream }: { method: string; segments: readonly string[]; upstream?: string | undefined },
): RegisteredTool {
  let best: { entry: RegisteredTool; fixed: number } | undefined
  let rival = false
  for (const entry of tools.all) {
    if (!covers(key, entry.tool)) continue
    const own = upstreamOf(entry.tool)
    if (upstream !== undefined && own?.id !== upstream) continue
    const at = own ?? entry.tool.rest
    if (at?.method !== method) continue
    const fixed = fixedSegments(at.path, segments)
    if (fixed === null || (best && fixed < best.fixed)) continue
    rival = best?.fixed === fixed
    best = { entry, fixed }
  }
  if (!best) throw new AppError('unknown_tool', 'No published operation has this method and path.')
  if (rival) throw new AppError('conflict', 'Several operations have this path: the gateway must name the upstream.')
  return best.entry
}

/** How many segments of the template are equal to the path's; null: it does not fit. */
function fixedSegments(template: string, segments: readonly string[]): number | null {
  const parts = template.split('/').slice(1)
  if (parts.length !== segments.length) return null
  let fixed = 0
  for (const [index, part] of parts.entries()) {
    if (/^\{[^{}]+\}$/.test(part)) continue
    if (part.includes('{') ? !mixed(part).test(segments[index]!) : part !== segments[index]) return null
    fixed++
  }
  return fixed
}

/** A segment with text around its parameters, such as `{id}.json`. */
const mixed = (part: string): RegExp =>
  new RegExp(`^${part.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^{}]+\}/g, '.+')}$`, 's')
