import type { Run } from './node.ts'

/** What comparing text takes no longer than a step for. */
export const CHARACTERS_PER_STEP = 64

/** Whether two values of JSON are the same. The order of names does not count. */
export function equal(run: Run, a: unknown, b: unknown): boolean {
  run.spend(1)
  if (typeof a === 'string') run.spend(Math.trunc(a.length / CHARACTERS_PER_STEP))
  if (a === b) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  run.spend(names.length)
  const others = Object.keys(b)
  run.spend(others.length)
  if (names.length !== others.length) return false
  run.enter()
  const same = names.every((name) => Object.hasOwn(b, name) && equal(run, Reflect.get(a, name), Reflect.get(b, name)))
  run.leave()
  return same
}
