import { sep } from 'node:path'

interface Graph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null
}

/** The entry modules of visitor pages. Other public pages, such as invitations, lead into the dashboard. */
const publicRoots = [
  'main.tsx',
  'layout/not-found-page.tsx',
  'features/auth/login-page.tsx',
  'features/faq/faq-page.tsx',
  'features/home/home-page.tsx',
  'features/legal/legal-page.tsx',
  'features/pricing/pricing-page.tsx',
  'features/sell/sell-page.tsx',
]

/** Each chunk gets everything that its roots import statically and that no earlier chunk contains. */
const chunks = [
  {
    name: 'dashboard',
    // Most later pages use the field and the fragment, and Billing uses the plan's queries.
    roots: [
      'features/dashboard/dashboard-layout.tsx',
      'features/overview/overview-at-root.tsx',
      'features/billing/queries.ts',
      'lib/use-fragment.ts',
      'ui/form/field.tsx',
    ],
  },
  // Spreadsheets uses them without the rest of the overview.
  { name: 'sold-calls', roots: ['features/snippets/sold-calls.ts', 'ui/breakable.tsx'] },
  {
    name: 'overview',
    roots: ['features/overview/first-call-card.tsx', 'features/mcp/mcp-cards.tsx', 'features/usage/calls-card.tsx'],
  },
  { name: 'billing', roots: ['features/billing/billing-page.tsx'] },
]

/**
 * Puts the code that the dashboard's first page needs, and no visitor page, into one file, and the code below its first
 * screen into another. By default the bundler splits at every import that two pages share: about fifty small files,
 * which browsers fetch six at a time, so a phone waits for each six. Returns a module's chunk name, or null if the
 * bundler decides.
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
