import { AppError } from '../../http/errors.ts'
import type { RegisteredTool } from '../tools/register-tool.ts'
import { perSnapshot, type ToolSnapshot } from '../tools/registry.ts'
import type { ServiceKey } from './verify-service-key.ts'

/** Whether a service key may charge a tool's calls. */
const covers = ({ upstreams }: ServiceKey, { tool }: RegisteredTool): boolean =>
  upstreams === null || upstreams.includes(tool.upstream?.id ?? '')

/** The operation of this name. Throws unknown_tool, also for one that the service key does not cover. */
export function findOperation(tools: ToolSnapshot, key: ServiceKey, name: string): RegisteredTool {
  const entry = tools.get(name)
  if (!entry || !covers(key, entry))
    throw new AppError('unknown_tool', 'There is no operation with this name for this service key.', {
      param: 'operation',
    })
  return entry
}

interface Template {
  entry: RegisteredTool
  /** Null if any text will do. */
  segments: readonly (string | RegExp | null)[]
}

const PARAMETER = /\{[^{}]+\}/g

/** Operations by method and number of segments. */
const templates = perSnapshot(({ all }) => {
  const found = new Map<string, Template[]>()
  for (const entry of all) {
    const at = entry.tool.upstream ?? entry.tool.rest
    if (!at) continue
    const segments = at.path.split('/').slice(1).map(segmentOf)
    const place = `${at.method} ${segments.length}`
    found.set(place, [...(found.get(place) ?? []), { entry, segments }])
  }
  return found
})

function segmentOf(part: string): string | RegExp | null {
  if (!part.includes('{')) return part
  if (part.replaceAll(PARAMETER, '') === '') return null
  // Text around its parameters, such as `{id}.json`.
  const text = part.split(PARAMETER).map((one) => one.replaceAll(/[.*+?^$()|[\]{}\\]/g, '\\$&'))
  return new RegExp(`^${text.join('.+')}$`, 's')
}

/**
 * The operation of a request to an upstream, by its method and decoded segments. Of several templates that fit, the one with
 * the most literal segments counts, then the one with the most that have some text. A path of another operation, published or not, is
 * never that of a template. Throws unknown_tool: what is not published is not served. Throws conflict if two upstreams
 * have the same template; then the gateway must name one.
 */
export function findOperationAt(
  tools: ToolSnapshot,
  key: ServiceKey,
  { method, segments, upstream }: { method: string; segments: readonly string[]; upstream?: string | undefined },
): RegisteredTool {
  const fitting = (templates(tools).get(`${method} ${segments.length}`) ?? [])
    .filter(({ entry }) => covers(key, entry) && (upstream === undefined || entry.tool.upstream?.id === upstream))
    .filter((template) => fits(template, segments))
    .filter(({ entry }) => !entry.tool.upstream?.isOther?.(`/${segments.join('/')}`))
    .map(({ entry, segments: parts }) => ({ entry, fixed: fixedness(parts) }))
  const most = Math.max(...fitting.map(({ fixed }) => fixed))
  const [best, rival] = fitting.filter(({ fixed }) => fixed === most)
  if (!best) throw new AppError('unknown_tool', 'No published operation has this method and path.')
  if (rival) throw new AppError('conflict', 'Several operations have this path: the gateway must name the upstream.')
  return best.entry
}

/** A template has far fewer segments than the weight of a literal one. */
const fixedness = (parts: Template['segments']): number =>
  parts.reduce<number>((sum, part) => sum + (part === null ? 0 : typeof part === 'string' ? 1_000 : 1), 0)

const fits = ({ segments }: Template, given: readonly string[]): boolean =>
  segments.every((part, index) => {
    const text = given[index]!
    return part === null || (typeof part === 'string' ? part === text : part.test(text))
  })
