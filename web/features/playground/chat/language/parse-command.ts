import type { PublishedSymbol } from '../suggestions/suggestions.ts'
import { type Command, grammar } from './grammar.ts'

/** The meaning of a chat message. `today` is YYYY-MM-DD. */
export function parseCommand(line: string, today = new Date().toISOString().slice(0, 10)): Command {
  for (const { patterns, read } of grammar)
    for (const pattern of patterns) {
      const found = pattern.exec(line)
      const command = found && read(found.groups ?? {}, today)
      if (command) return command
    }
  return { kind: 'plain' }
}

/** One line of the list; `command` can be sent if it has no capital placeholder. */
export interface ListedCommand {
  command: string
  about: string
}

const usual = ['OIL.WTI', 'GOLD.USD']

/** The messages that `parseCommand` understands, with symbols of this server, and only examples that `datasets` can answer, if given. */
export function commandList(symbols: readonly PublishedSymbol[], datasets: readonly string[] | null): ListedCommand[] {
  const [a, b] = [0, 1].map((place) => symbols[place]?.symbol ?? usual[place]!)
  return grammar
    .flatMap(({ listed }) => listed ?? [])
    .filter(({ needs }) => !datasets || needs === undefined || datasets.includes(needs))
    .map(({ example, about }) => ({ command: example.replaceAll('{a}', a!).replaceAll('{b}', b!), about }))
}
