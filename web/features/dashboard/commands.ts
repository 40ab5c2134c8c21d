/** A command of the palette. */
export interface Command {
  id: string
  /** The text shown and searched. */
  label: string
  /** The heading of its group. */
  group: string
  run: () => void
}

/** The commands that contain every typed word, in their order; all if nothing is typed. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ label, group }) => {
    const text = `${group} ${label}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
