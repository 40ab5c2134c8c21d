import { useCallback, useMemo, useReducer, useRef } from 'react'
import { useSession } from '../../lib/auth/session.ts'
import { useCallLog } from './call-log/use-call-log.ts'
import { commandList } from './chat/language/command-list.ts'
import { useLookUp } from './chat/look-up/use-look-up.ts'
import { useMessages } from './chat/messages/use-messages.ts'
import { useModelChat } from './chat/model/use-model-chat.ts'
import { aboutMatch, nearest, publishedSymbols, type Suggestion, starters } from './chat/suggestions/suggestions.ts'
import { usePublished } from './chat/suggestions/use-published.ts'
import { useWhenReady } from './chat/use-when-ready.ts'
import { ownServer } from './own-server.ts'
import { initialState, reduceState } from './playground-state.ts'
import { playgroundText as text } from './text.ts'
import { useCalls } from './use-calls.ts'
import { noPlaces } from './use-kept-scroll.ts'
import { usePreferences } from './use-preferences.ts'
import { useServers } from './use-servers.ts'
import { useSignIns } from './use-sign-ins.ts'

/** Loaded with the first message, because the other tabs need none of it. */
const language = async () => ({
  ...(await import('./chat/language/parse-command.ts')),
  ...(await import('./chat/language/plan-calls.ts')),
})

export type Playground = ReturnType<typeof usePlayground>

/** State and actions of the four tabs. `keyId` is the API key that calls are charged to. */
export function usePlayground(keyId: string | null) {
  const { user } = useSession()
  const [state, set] = useReducer(reduceState, initialState)
  const ownCalls = useRef(new Set<string>()).current
  const places = useRef(noPlaces()).current
  const { messages, say, clearMessages } = useMessages()
  const { log, note, clearLog } = useCallLog(user?.id)
  const handleSignIn = useSignIns(set, say)
  const serverActions = useServers({ signedIn: user !== null, state, set, say, handleSignIn, ownCalls })
  const callActions = useCalls({ servers: state.servers, keyId, set, say, note, handleSignIn, ownCalls })
  const { callTool, compare } = callActions
  const model = useModelChat({ callTool, say }, keyId)
  const { ask } = model
  const { chatModel, servers, tools } = state
  const { preferences, choose } = usePreferences(user?.id)
  const lookUp = useLookUp(tools, keyId)
  // A question may be sent before the tools are known, and with them whether the search is free.
  const search = useWhenReady(tools.length > 0 || !state.loading, lookUp)
  const { datasets, own: ownSymbols } = usePublished(servers.some(({ name }) => name === ownServer))
  const symbols = useMemo(() => publishedSymbols(datasets, ownSymbols), [datasets, ownSymbols])
  const ideas = useMemo(() => starters(datasets, ownSymbols, tools), [datasets, ownSymbols, tools])
  const commands = useMemo(
    () => commandList(symbols, datasets.length > 0 ? datasets : null, tools),
    [symbols, datasets, tools],
  )

  const send = useCallback(
    async (line: string) => {
      if (line.trim() === '') return
      say('user', line)
      // Chat commands go to our own server if it is connected.
      const own = servers.find(({ name }) => name === ownServer)?.name
      const idea = ideas.find((one) => one.arguments && one.line === line.trim())
      if (idea) return void (await callTool(idea.tool!, idea.arguments, own))
      const { parseCommand, planCalls, withoutWords } = await language()
      const command = parseCommand(line)
      if (command.kind === 'help')
        return say('assistant', text.help(commands.map((one) => `${one.command}: ${one.about}`)))
      const find = async (query: string) => (await search())?.search(query).catch(() => []) ?? []
      const findReports = async (symbol: string) => (await search())?.reports(symbol).catch(() => null) ?? null
      const { calls, compared, leftOut, instead, near, outside } = await planCalls(command, find, findReports)
      // A shop need not sell what the chat can ask for.
      const sold = !own || tools.length === 0 || calls.every((call) => tools.some(({ name }) => name === call.tool))
      if (!sold) return say('assistant', text.plain, undefined, { suggestions: ideas.slice(0, 3) })
      if (calls.length > 0 && compared) return compare(calls)
      if (calls.length > 0) for (const call of calls) await callTool(call.tool, call.arguments, own)
      else if (chatModel !== null) await ask(line)
      else {
        const [first] = instead
        const rest: Suggestion[] = first
          ? [{ line: withoutWords(line, leftOut), tool: first.tool, calls: instead.length }]
          : []
        const meant = near.map(aboutMatch)
        const others = first ? [...rest, ...meant] : [...meant.slice(0, 2), ...nearest(line, ideas)]
        const reason = first ? text.leftOut(leftOut) : outside ? text.outside(outside) : text.plain
        say('assistant', reason, undefined, { suggestions: others.slice(0, 3) })
      }
    },
    [say, servers, tools, callTool, compare, ask, chatModel, search, commands, ideas],
  )

  return {
    ...state,
    ...serverActions,
    ...callActions,
    connected: servers.length > 0,
    messages,
    clearMessages,
    send,
    log,
    clearLog,
    model,
    places,
    preferences,
    choose,
    lookUp,
    symbols,
    ideas,
    commands,
  }
}
