/**
 * Which alerts a period has crossed (the threshold in percent, and 100), and with how many credits left the next one is
 * crossed; null: none is. A threshold of 0 switches all off. `used` and `remaining` are credits of one moment.
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
    // used / total >= percent / 100, in whole numbers.
    if (used > 0 && used * 100 >= percent * total) crossed.push(percent)
    else next ??= Math.floor((total * (100 - percent)) / 100)
  }
  return { crossed, next }
}
