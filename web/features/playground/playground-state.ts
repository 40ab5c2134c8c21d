import type { PlaygroundServer, PlaygroundTool } from '#contract/playground.ts'
import type { Question } from './chat/question-panel.tsx'

/** What the four tabs share, apart from messages and events. */
export interface PlaygroundState {
  servers: PlaygroundServer[]
  tools: PlaygroundTool[]
  /** The operator's model for free-form questions; null if there is none. */
  chatModel: string | null
  connecting: boolean
  /** The last attempt to connect, if it failed. */
  failed: { name: string; reason: string } | null
  loading: boolean
  /** Names of tools with a call in progress. */
  calling: string[]
  /** Servers that require sign-in, with their sign-in URLs. */
  signIns: { name: string; url: string }[]
  /** A tool's request for input. */
  question: Question | null
}

type Change = Partial<PlaygroundState> | ((state: PlaygroundState) => Partial<PlaygroundState>)

/** Merges a change into the state. */
export type SetState = (change: Change) => void

export const initialState: PlaygroundState = {
  servers: [],
  tools: [],
  chatModel: null,
  connecting: true,
  failed: null,
  loading: false,
  calling: [],
  signIns: [],
  question: null,
}
export const reduceState = (state: PlaygroundState, change: Change): PlaygroundState => ({
  ...state,
  ...(typeof change === 'function' ? change(state) : change),
})
