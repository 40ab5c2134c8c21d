import { questions } from './questions.ts'

/** What the chat understands without a model, in the order in which it is checked. */
export const commandList: { command: string; about: string }[] = [
  { command: 'add N + N', about: 'Adds two numbers; also calculate, compute, math' },
  { command: 'echo TEXT', about: 'Repeats text; also say, repeat' },
  { command: 'time', about: 'Server time; any text with time or timestamp' },
  { command: 'help', about: 'This list' },
  ...questions.map(({ example, about }) => ({ command: example, about })),
]
