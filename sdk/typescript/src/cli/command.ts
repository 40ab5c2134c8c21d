import type { Globals } from './globals.ts'

export interface Option {
  name: string
  /** What follows it: `DATE`. Absent: it takes no value. */
  value?: string
  /** The values that it may have, for completion. */
  choices?: readonly string[]
  about: string
}

/** What a command is called with. */
export interface Call {
  globals: Globals
  positionals: string[]
  options: Record<string, string | boolean | undefined>
  /** `--name value` pairs that are no options of the command, if it takes them. */
  others: Record<string, string>
}

export interface Command {
  /** `keys list` */
  name: string
  /** `NAME` or `[PAGE]` after the name, for help; checked by number. */
  takes?: readonly string[]
  about: string
  options?: readonly Option[]
  /** Words that may follow, for completion. */
  words?: readonly string[]
  /** Takes any `--name value`. */
  open?: true
  run: (call: Call) => Promise<void>
}
