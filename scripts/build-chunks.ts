import { sep } from 'node:path'

interface Graph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null
}

/** What pages for visitors are made of. The others, such as an invitation, lead into the dashboard. */
const publicRoots = [
  'main.tsx',
  'layout/not-found-page.tsx',
  'features/auth/login-page.tsx',
  'features/docs/docs-home-page.tsx',
  'features/faq/faq-page.tsx',
  'features/getting-started/getting-started-page.tsx',
  'features/home/home-page.tsx',
  'features/legal/legal-page.tsx',
  'features/pricing/pricing-page.tsx',
]

/** Each with all that it imports at once and that none before it holds. */
const chunks = [
  {
    name: 'dashboard',
    // The field is on most later pages.
    roots: ['features/dashboard/dashboard-layout.tsx', 'features/overview/overview-at-root.tsx', 'ui/form/field.tsx'],
  },
  {
    name: 'overview',
    roots: [
      'features/overview/first-call-card.tsx',
      'features/mcp/mcp-cards.tsx',
      'features/usage/top-keys-card.tsx',
      'features/usage/calls-card.tsx',
    ],
  },
]

/**
 * Puts what the dashboard's first page needs, and no page for visitors, into one file, and what comes below its first
 * screen into another. By itself the bundler cuts a file wherever two pages share something: fifty small ones, of which a
 * browser fetches six at a time, and a phone waits for each six. Answers the name of the chunk of a module, or null
 * where the bundler may decide.
 */
export function dashboardChunks(webDir: string) {
  let chunkOf: Map<string, string | null> | undefined
  return (moduleId: string, graph: Graph): string | null => {
    chunkOf ??= assign(webDir, graph)
    return chunkOf.get(moduleId) ?? null
  }
}

function assign(webDir: string, graph: Graph): Map<string, string | null> {
  const assigned = new Map<string, string | null>()
  for (const { name, roots } of [{ name: null, roots: publicRoots }, ...chunks]) {
    const waiting = roots.map((file) => [webDir, ...file.split('/')].join(sep))
    for (const id of waiting)
      if (!graph.getModuleInfo(id)) throw new Error(`${id}, named in scripts/build-chunks.ts, is not part of the web`)
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const module = assigned.has(id) ? null : graph.getModuleInfo(id)
      if (!module) continue
      assigned.set(id, name)
      waiting.push(...module.importedIds)
    }
  }
  return assigned
}
