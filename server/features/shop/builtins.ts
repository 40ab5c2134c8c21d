import type { Shop } from './shop.ts'

interface Group<T> {
  /** As `builtins` in shop.yaml names it; null: not part of the demonstration, so it is always served. */
  group: string | null
  tools: readonly T[]
}

/** The tools that this shop serves of those that come with the product. */
export const servedBuiltins = <T extends { name: string }>(
  { builtins }: Pick<Shop, 'builtins'>,
  groups: readonly Group<T>[],
): T[] =>
  groups.flatMap(({ group, tools }) =>
    builtins === 'on' || group === null
      ? tools
      : tools.filter(({ name }) => builtins !== 'off' && (builtins.includes(group) || builtins.includes(name))),
  )

/** The datasets that come with the product, as `builtins` names them. */
const DEMO_DATA = 'demo-data'

export const servesDemoData = ({ builtins }: Pick<Shop, 'builtins'>): boolean =>
  builtins === 'on' || (builtins !== 'off' && builtins.includes(DEMO_DATA))

/** What `builtins` may list. */
export const builtinNames = (groups: readonly Group<{ name: string }>[]): string[] => [
  ...groups.flatMap(({ group, tools }) => (group === null ? [] : [group, ...tools.map(({ name }) => name)])),
  DEMO_DATA,
]
