import { callAt, type ExampleCall } from './example-calls.ts'
import { readOpenApi, type SoldApi } from './read-openapi.ts'
import { sample } from './sample.ts'

/** What happens in a call, one after the other; the last is the response. */
export const STAGES = ['key', 'credits', 'api', 'charge', 'response'] as const
const LAST = STAGES.length - 1
const CHARGED = STAGES.indexOf('charge')

export interface ExampleState {
  file: string
  api: SoldApi
  /** Why the file that was given last is not the one that is shown. */
  problem: string | null
  /** Index of the operation that is called. */
  chosen: number
  /** Credits per call. */
  price: number
  calls: readonly ExampleCall[]
  /** How far the last call has come, as an index of STAGES. */
  stage: number
}

export type ExampleAction =
  | { type: 'open'; file: string; api: SoldApi; stage: number }
  | { type: 'refuse'; problem: string }
  | { type: 'choose'; chosen: number }
  | { type: 'price'; price: number }
  | { type: 'call'; stage: number }
  | { type: 'step' }

/** The sample after its first call. */
export const firstState: ExampleState = {
  file: sample.name,
  api: readOpenApi(sample.document),
  problem: null,
  chosen: 0,
  price: 5,
  calls: [callAt(5, [])],
  stage: LAST,
}

/** `stage` of an action: where its call begins; the last one without motion. */
export function nextState(state: ExampleState, action: ExampleAction): ExampleState {
  switch (action.type) {
    case 'open': {
      const { file, api, stage } = action
      return { ...state, file, api, problem: null, chosen: 0, calls: [callAt(state.price, [])], stage }
    }
    case 'refuse':
      return { ...state, problem: action.problem }
    case 'choose':
      return { ...state, chosen: action.chosen }
    case 'price':
      return { ...state, price: action.price }
    case 'call':
      return { ...state, calls: [...state.calls, callAt(state.price, state.calls)], stage: action.stage }
    case 'step':
      return { ...state, stage: Math.min(state.stage + 1, LAST) }
  }
}

export const isRunning = ({ stage }: ExampleState): boolean => stage < LAST

/** The calls that are charged so far: the last one only once its charge is on disk. */
export const chargedCalls = ({ calls, stage }: ExampleState): readonly ExampleCall[] =>
  stage < CHARGED ? calls.slice(0, -1) : calls
