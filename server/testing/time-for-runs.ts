/**
 * Whether a property has time for one more run; when it has not, it says how many it made. A busy machine makes fewer runs instead of reaching
 * the limit of the test, after which a run would go on beside the next test. `limitMs` is well below that limit.
 */
export function timeForRuns(limitMs: number): () => boolean {
  let startedAtMs: number | undefined
  let runs = 0
  let isOver = false
  return () => {
    startedAtMs ??= performance.now()
    if (isOver) return false
    isOver = performance.now() - startedAtMs > limitMs
    if (isOver) console.warn(`Time for ${runs} runs only, in ${Math.round(limitMs / 1000)} s.`)
    else runs++
    return !isOver
  }
}
