import type { Icon } from '../../ui/icons/icon.tsx'

/** A command of the palette. */
export interface Command {
  id: string
  /** The text shown and searched. */
  label: string
  /** The heading of its group. */
  group: string
  icon: Icon
  /** Other words that match it. */
  words?: string
  /** Shown only when it is searched for. */
  searchedOnly?: true
  run: () => void
}

const MOST_SHOWN = 50

/** The first commands that contain every typed word, in their order; if nothing is typed, those not `searchedOnly`. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return commands.filter(({ searchedOnly }) => !searchedOnly).slice(0, MOST_SHOWN)
  return commands
    .filter((command) => {
      const text = `${command.group} ${command.label} ${command.words ?? ''}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .slice(0, MOST_SHOWN)
}
