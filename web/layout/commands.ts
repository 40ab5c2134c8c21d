/** One thing that the palette can do. */
export interface Command {
  id: string
  /** What is shown and searched. */
  label: string
  /** The heading it stands under. */
  group: string
  run: () => void
}

/** The commands that hold every word typed, in their own order; all of them when nothing is typed. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ label, group }) => {
    const text = `${group} ${label}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
