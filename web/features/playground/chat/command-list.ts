import { questions } from './questions.ts'
import type { PublishedSymbol } from './suggestions.ts'

/** One line of the list; `command` can be sent if it has no capital placeholder. */
export interface ListedCommand {
  command: string
  about: string
}

const usual = ['OIL.WTI', 'GOLD.USD']

/**
 * The messages that the chat understands without a model, in the order in which they are checked, with symbols of this server. Examples
 * that need other data than `datasets` are left out; null: none is.
 */
export function commandList(symbols: readonly PublishedSymbol[], datasets: readonly string[] | null): ListedCommand[] {
  const [a, b] = [0, 1].map((place) => symbols[place]?.symbol ?? usual[place]!)
  return [
    { command: 'add N + N', about: 'Adds two numbers; also calculate, compute, math' },
    { command: 'echo TEXT', about: 'Repeats text; also say, repeat' },
    { command: 'time', about: 'Server time; any text with time or timestamp' },
    { command: 'help', about: 'This list' },
    ...questions
      .filter(({ needs }) => !datasets || needs === undefined || datasets.includes(needs))
      .map(({ example, about }) => ({
        command: example.replaceAll('{a}', a!).replaceAll('{b}', b!),
        about,
      })),
  ]
}
