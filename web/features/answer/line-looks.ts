/** Line styles that distinguish the lines of a comparison even without color. */
const lineLooks = [
  { color: 'var(--chart-line)', dash: undefined },
  { color: 'var(--chart-failed)', dash: '6 3' },
  { color: 'var(--color-warning)', dash: '2 3' },
  { color: 'var(--color-ink)', dash: '8 3 2 3' },
]

/** The style of the line with this index. */
export const lineLook = (place: number) => lineLooks[place % lineLooks.length]!
