import { createMemoryHistory, RouterProvider } from '@tanstack/react-router'
import { prerender } from 'react-dom/static'
import { descriptions } from './lib/descriptions.ts'
import { readEarlyScript } from './lib/http/read-early.ts'
import { holdInitialData, type InitialData } from './lib/initial-data.ts'
import { renderedTitle } from './lib/page-title.ts'
import { createAppRouter } from './router.tsx'

/** The page of a URL, resolved without rendering it. */
export interface Match {
  /** The route id, such as `/docs/pricing` or `/legal/$page`; null if no route matches. */
  routeId: string | null
  params: Record<string, string>
  /** Null for pages that search engines should not index. */
  description: string | null
  /** A script for the page's head; null if it needs none. */
  script: string | null
}

const nowhere: Match = { routeId: null, params: {}, description: null, script: null }

let known: ReturnType<typeof createAppRouter> | undefined

/** Never throws: a URL that cannot be parsed matches no page. */
export function matchPage(path: string): Match {
  known ??= createAppRouter(createMemoryHistory({ initialEntries: ['/'] }))
  try {
    const [matchedRoutes, routeParams, foundRoute] = known.getMatchedRoutes(path)
    const route = matchedRoutes.at(-1)
    // '**' is the unmatched rest of the URL.
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

/** A page comes in one piece: React would hide larger parts until a script has run. */
const WHOLE = Number.MAX_SAFE_INTEGER

let queue: Promise<unknown> = Promise.resolve()

/**
 * Renders a page as the browser first renders it. Calls run one after another, because the initial data is module
 * state.
 */
export function drawPage(path: string, data: InitialData): Promise<DrawnPage> {
  const drawn = queue.then(async () => {
    holdInitialData(data)
    renderedTitle.value = data.settings.shop.name
    const router = createAppRouter(createMemoryHistory({ initialEntries: [path] }))
    await router.load()
    const { prelude } = await prerender(<RouterProvider router={router} />, { progressiveChunkSize: WHOLE })
    return { html: await new Response(prelude).text(), title: renderedTitle.value }
  })
  queue = drawn.catch(() => {})
  return drawn
}
