/**
 * Which alerts the period has crossed (its threshold in percent, and 100), and the credits that will be left when the
 * next one is crossed (null: there is none). A threshold of 0 turns all alerts off. `used` and `remaining` must come
 * from the same snapshot.
 */
export function alertState(
  threshold: number,
  used: number,
  remaining: number,
): { crossed: number[]; next: number | null } {
  const crossed: number[] = []
  let next: number | null = null
  const total = used + remaining
  for (const percent of threshold === 0 ? [] : new Set([threshold, 100])) {
    // Integer form of used / total >= percent / 100.
    if (used > 0 && used * 100 >= percent * total) crossed.push(percent)
    else next ??= Math.floor((total * (100 - percent)) / 100)
  }
  return { crossed, next }
}
