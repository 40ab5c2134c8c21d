import { useEffect, useMemo, useRef, useState } from 'react'
import type { PlaygroundTool } from '#contract/playground.ts'
import { ownServer } from '../../own-server.ts'
import { playgroundApi, quietCallId } from '../../playground-api.ts'
import { createLookUp, type Listed, type LookUp, reportsIn } from './look-up.ts'

const searchTool = 'search_symbols'
const companyTool = 'get_company'
const maxMatches = 8
const pauseMs = 350

/** The symbol search of our own server, and the dates of statements; null unless it is connected and the search is free. */
export function useLookUp(tools: readonly PlaygroundTool[], keyId: string | null): LookUp | null {
  const isFree = (tool: string) =>
    tools.some(
      ({ name, serverName, credits }) =>
        name === tool && serverName === ownServer && (credits as { credits?: unknown } | undefined)?.credits === 0,
    )
  const latest = useRef({ keyId, knowsCompanies: false })
  latest.current = { keyId, knowsCompanies: isFree(companyTool) }
  const lookUp = useMemo(() => {
    const call = async (tool: string, args: Record<string, unknown>) => {
      const { result } = await playgroundApi.call(ownServer, tool, {
        arguments: args,
        keyId: latest.current.keyId,
        callId: quietCallId(),
      })
      if (result.isError) throw new Error('The search failed.')
      return result.structuredContent
    }
    return createLookUp(
      async (query) => {
        const { columns, rows, meta } = (await call(searchTool, { query, limit: maxMatches })) as {
          columns: string[]
          rows: unknown[][]
          meta: { truncated?: boolean }
        }
        return { columns, rows, truncated: meta.truncated === true }
      },
      async (symbol) => (latest.current.knowsCompanies ? reportsIn(await call(companyTool, { symbol })) : null),
    )
  }, [])
  return isFree(searchTool) ? lookUp : null
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
