const MAX_LENGTH = 16

/**
 * The `names` that a mistyped `name` may have meant, nearest first. A match has at most two letters wrong, missing,
 * extra or swapped (one, for names below four letters), or shares a prefix of three letters. The work is bounded for
 * any input.
 */
export function nearestNames(name: string, names: readonly string[]): string[] {
  const wanted = name.slice(0, MAX_LENGTH)
  if (wanted === '' || name.length > 4 * MAX_LENGTH) return []
  const tolerance = wanted.length < 4 ? 1 : 2
  const near: { name: string; distance: number }[] = []
  for (const candidate of names) {
    const distance =
      Math.abs(candidate.length - wanted.length) > tolerance
        ? Number.POSITIVE_INFINITY
        : editDistance(wanted, candidate)
    if (distance <= tolerance) near.push({ name: candidate, distance })
    else if (wanted.length >= 3 && candidate.startsWith(wanted.slice(0, 3)))
      near.push({ name: candidate, distance: tolerance + 1 })
  }
  return near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1)).map((entry) => entry.name)
}

/** Optimal string alignment distance: insert, delete, replace, or swap two neighbors. */
function editDistance(a: string, b: string): number {
  let previous: number[] = []
  let current = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = current[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      let least = Math.min(replaced, current[j]! + 1, next[j - 1]! + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, previous[j - 2]! + 1)
      next.push(least)
    }
    previous = current
    current = next
  }
  return current[b.length]!
}
