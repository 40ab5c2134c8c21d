import { useEffect, useReducer, useRef } from 'react'
import { type ExampleAction, type ExampleState, firstState, isRunning, nextState, STAGES } from './example-state.ts'
import { readOpenApi } from './read-openapi.ts'
import { sample } from './sample.ts'

const STAGE_MS = 320
/** After the first paint, two calls play; then the page is still until somebody acts. */
const PLAY_AT_MS = [1_200, 4_000]

/** Where a call begins: at its end for those who want no motion. */
const begin = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? STAGES.length - 1 : 0)

/** The example and what a visitor can do with it. */
export function useExample(): {
  state: ExampleState
  open: (file: File) => Promise<void>
  useSample: () => void
  choose: (chosen: number) => void
  price: (credits: number) => void
  call: () => void
} {
  const [state, dispatch] = useReducer(nextState, firstState)
  const acted = useRef(false)
  const latest = useRef(0)
  const act = () => {
    acted.current = true
    latest.current += 1
    return latest.current
  }
  const change = (action: ExampleAction) => {
    act()
    dispatch(action)
  }
  useEffect(() => {
    if (begin() > 0) return
    const timers = PLAY_AT_MS.map((ms) =>
      setTimeout(() => acted.current || document.hidden || dispatch({ type: 'call', stage: 0 }), ms),
    )
    return () => timers.forEach(clearTimeout)
  }, [])
  const running = isRunning(state)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each stage waits once
  useEffect(() => {
    if (!running) return
    const timer = setTimeout(() => dispatch({ type: 'step' }), STAGE_MS)
    return () => clearTimeout(timer)
  }, [running, state.stage, state.calls])
  return {
    state,
    async open(file) {
      const turn = act()
      try {
        const { readFile } = await import('./read-file.ts')
        const api = await readFile(file)
        // Only the file that was given last counts.
        if (turn === latest.current) dispatch({ type: 'open', file: file.name, api, stage: begin() })
      } catch (error) {
        if (turn === latest.current) dispatch({ type: 'refuse', problem: (error as Error).message })
      }
    },
    useSample: () => change({ type: 'open', file: sample.name, api: readOpenApi(sample.document), stage: begin() }),
    choose: (chosen) => change({ type: 'choose', chosen }),
    price: (credits) => change({ type: 'price', price: credits }),
    call: () => change({ type: 'call', stage: begin() }),
  }
}
