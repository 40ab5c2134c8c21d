/** Beginnings that other programs rarely use. Names in families like GITHUB_ must resemble one of ours to be reported. */
const OURS = /^(AUTH|CHAT_MODEL|DEMO|FINMETER|KEYS|MAIL|MCP|METER|METRICS|PLAYGROUND|PUBLIC|SANDBOX|SMTP|STRIPE|TRUST)_/
const SHORT = 6

/** Variables that nobody reads and that look like a setting: each name with the setting it resembles most, or null. */
export function unknownSettings(
  given: readonly string[],
  known: readonly string[],
): { name: string; meant: string | null }[] {
  return given
    .filter((name) => !known.includes(name))
    .map((name) => {
      const [nearest] = known
        .map((setting) => ({ setting, away: distance(name.toUpperCase(), setting) }))
        .sort((a, b) => a.away - b.away)
      return { name, nearest: nearest! }
    })
    .filter(({ name, nearest }) => OURS.test(name) || nearest.away <= (nearest.setting.length <= SHORT ? 1 : 2))
    .map(({ name, nearest }) => ({ name, meant: nearest.away <= name.length / 2 ? nearest.setting : null }))
}

/** Insertions, deletions, replacements and exchanges of neighbors that make one text the other. */
function distance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity
      row.push(Math.min(replaced, swapped, last[j]! + 1, row[j - 1]! + 1))
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]!
}
