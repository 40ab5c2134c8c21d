import { useEffect, useMemo, useRef, useState } from 'react'
import type { PlaygroundTool } from '#contract/playground.ts'
import { ownServer, playgroundApi, quietCallId } from '../../playground-api.ts'
import { createLookUp, type Listed, type LookUp } from './look-up.ts'

const searchTool = 'search_symbols'
const maxMatches = 8
const pauseMs = 350

/** The symbol search of our own server; null unless it is connected and the search is free. */
export function useLookUp(tools: readonly PlaygroundTool[], keyId: string | null): LookUp | null {
  const key = useRef(keyId)
  key.current = keyId
  const lookUp = useMemo(
    () =>
      createLookUp(async (query) => {
        const { result } = await playgroundApi.call(ownServer, searchTool, {
          arguments: { query, limit: maxMatches },
          keyId: key.current,
          callId: quietCallId(),
        })
        if (result.isError) throw new Error('The search failed.')
        const { columns, rows, meta } = result.structuredContent as {
          columns: string[]
          rows: unknown[][]
          meta: { truncated?: boolean }
        }
        return { columns, rows, truncated: meta.truncated === true }
      }),
    [],
  )
  const search = tools.find(({ name, serverName }) => name === searchTool && serverName === ownServer)
  const price = (search?.credits as { credits?: unknown } | undefined)?.credits
  return price === 0 ? lookUp : null
}

const none: Listed[] = []

/** The symbols that match what is being typed, a moment after the last key. */
export function useMatches(query: string | null, lookUp: LookUp | null): readonly Listed[] {
  const [state, set] = useState<{ query: string; found: Listed[] }>({ query: '', found: none })
  useEffect(() => {
    if (query === null || lookUp === null) return
    let current = true
    const show = (found: Listed[]) => current && set({ query, found })
    const known = lookUp.known(query)
    if (known) show(known)
    const timer = known
      ? undefined
      : setTimeout(() => {
          // A failed search must not disturb typing.
          lookUp.search(query).then(show, () => {})
        }, pauseMs)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [query, lookUp])
  return query !== null && state.query === query ? state.found : none
}
