import { totalmem } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { constrainedMemory, memoryUsage } from 'node:process'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { AppError } from './errors.ts'

/** What a call may cost, the costliest first: that is also the order in which they are refused. */
export const costs = ['export', 'large', 'call'] as const
export type Cost = (typeof costs)[number]

/** How far above a threshold each cost is refused. */
const REFUSED_FROM: Record<Cost, number> = { export: 1, large: 1.15, call: 1.3 }
/** Rows of a response that may be kept in memory as a whole until the client has read it. */
const LARGE_ROWS = 1_000
/** More rows are streamed. */
const EXPORT_ROWS = 10_000
/** About what a row takes as JSON. */
const ROW_BYTES = 100
/** One account may fill this part of SHED_UNSENT_MB. */
const OWN_SHARE = 0.5
const LOOK_MS = 1_000
const RESOLUTION_MS = 10
const RETRY_AFTER_SECONDS = 5
const DEFAULT_MEMORY_SHARE = 0.75
const MB = 1024 * 1024

/** Refuses calls while this process is overloaded, the costliest first. */
export interface Pressure {
  /**
   * Admits a call that may return `rows` rows, until the returned function is called. Throws overloaded.
   * `streams`: more rows than fit into one response are streamed.
   */
  enter: (accountId: number, rows: number, streams: boolean) => () => void
  /** Counts bytes that are kept until a client has read them, until the returned function is called. */
  keep: (accountId: number, bytes: number) => () => void
  /** Throws overloaded, and counts it as shed. */
  refuse: (cost: Cost) => never
  /** Calls refused so far. */
  shed: () => Record<Cost, number>
  /** Bytes that wait for clients. */
  unsentBytes: () => number
  close: () => void
}

type PressureConfig = Pick<Config, 'SHED_MEMORY_MB' | 'SHED_EVENT_LOOP_MS' | 'SHED_UNSENT_MB'>

/** What is measured each second; tests give their own. */
export interface Load {
  memoryBytes: number
  eventLoopDelayMs: number
}

/** `look` measures this process. */
export function createPressure(config: PressureConfig, log: Logger, look: () => Load = watchProcess()): Pressure {
  const memoryLimit = config.SHED_MEMORY_MB ? config.SHED_MEMORY_MB * MB : memoryOfMachine() * DEFAULT_MEMORY_SHARE
  const unsentLimit = config.SHED_UNSENT_MB * MB
  const shed: Record<Cost, number> = { export: 0, large: 0, call: 0 }
  const own = new Map<number, number>()
  let unsent = 0
  let load = 0
  let last = 0
  let wasOver = false

  const timer = setInterval(() => {
    const { memoryBytes, eventLoopDelayMs } = look()
    const now = Math.max(memoryBytes / memoryLimit, eventLoopDelayMs / config.SHED_EVENT_LOOP_MS)
    // One bad second, such as that of a large import, is no overload.
    load = Math.min(now, last)
    last = now
    if (load >= 1 !== wasOver) {
      wasOver = load >= 1
      const facts = { memoryMb: Math.round(memoryBytes / MB), eventLoopDelayMs: Math.round(eventLoopDelayMs), shed }
      log.warn(facts, wasOver ? 'overloaded: refusing the costliest calls' : 'no longer overloaded')
    }
  }, LOOK_MS).unref()

  const refuse = (cost: Cost): never => {
    shed[cost]++
    throw new AppError('overloaded', 'The server is busy. Nothing was charged. Try again shortly.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }

  const keep: Pressure['keep'] = (accountId, bytes) => {
    unsent += bytes
    own.set(accountId, (own.get(accountId) ?? 0) + bytes)
    let kept = true
    return () => {
      if (!kept) return
      kept = false
      unsent -= bytes
      const left = own.get(accountId)! - bytes
      if (left > 0) own.set(accountId, left)
      else own.delete(accountId)
    }
  }

  return {
    keep,
    refuse,
    enter(accountId, rows, streams) {
      const cost = streams && rows > EXPORT_ROWS ? 'export' : rows > LARGE_ROWS ? 'large' : 'call'
      if (load >= REFUSED_FROM[cost]) refuse(cost)
      if (cost !== 'large') return nothing
      const expected = Math.min(rows, EXPORT_ROWS) * ROW_BYTES
      if (unsent + expected > unsentLimit || (own.get(accountId) ?? 0) + expected > unsentLimit * OWN_SHARE)
        refuse(cost)
      return keep(accountId, expected)
    },
    shed: () => ({ ...shed }),
    unsentBytes: () => unsent,
    close: () => clearInterval(timer),
  }
}

const nothing = (): void => {}

const memoryOfMachine = (): number => Math.min(constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())

/** Resident memory, and how much later than due timers ran since the last look, on average. */
function watchProcess(): () => Load {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  return () => {
    const eventLoopDelayMs = Math.max(0, (delays.mean || 0) / 1e6 - RESOLUTION_MS)
    delays.reset()
    return { memoryBytes: memoryUsage.rss(), eventLoopDelayMs }
  }
}
