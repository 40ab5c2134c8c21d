import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { prerender } from 'react-dom/static'
import { descriptions } from './lib/descriptions.ts'
import { holdInitialData, type InitialData } from './lib/initial-data.ts'
import { drawnTitle } from './lib/page-title.ts'
import { readEarlyScript } from './lib/read-early.ts'
import { createAppRouter } from './router.tsx'

/** Which page an address belongs to, told without drawing it. */
export interface Match {
  /** The route's id, such as `/docs/pricing` or `/legal/$page`; null for an address that is no page. */
  routeId: string | null
  params: Record<string, string>
  /** Null where the page is not for search engines. */
  description: string | null
  /** A script for the page's head; null where it needs none. */
  script: string | null
}

const nowhere: Match = { routeId: null, params: {}, description: null, script: null }

let known: ReturnType<typeof createAppRouter> | undefined

/** Never throws: what cannot be parsed is no page. */
export function matchPage(path: string): Match {
  known ??= createAppRouter(createMemoryHistory({ initialEntries: ['/'] }))
  try {
    const [matchedRoutes, routeParams, foundRoute] = known.getMatchedRoutes(path)
    const route = matchedRoutes.at(-1)
    // '**' holds what is left over below a route that is not the whole address.
    if (foundRoute && route && !('**' in routeParams))
      return {
        routeId: route.id,
        params: routeParams,
        script: readEarlyScript(route.id),
        description: descriptions[path] ?? descriptions[route.id] ?? null,
      }
    return nowhere
  } catch {
    return nowhere
  }
}

export interface DrawnPage {
  html: string
  title: string
}

let queue: Promise<unknown> = Promise.resolve()

/** Draws a page as the browser will first draw it. One after the other: what a drawing holds is the module's. */
export function drawPage(path: string, data: InitialData): Promise<DrawnPage> {
  const drawn = queue.then(async () => {
    holdInitialData(data)
    drawnTitle.value = 'Finmeter'
    const router = createAppRouter(createMemoryHistory({ initialEntries: [path] }))
    await router.load()
    const { prelude } = await prerender(<RouterProvider router={router} />)
    return { html: await new Response(prelude).text(), title: drawnTitle.value }
  })
  queue = drawn.catch(() => {})
  return drawn
}
