import type { InputShape } from '../define-tool.ts'

/** Names of a tool's inputs, in the order of its definition. */
export const namesOf = (input: InputShape): string[] =>
  'jsonSchema' in input ? [...input.names] : Object.keys(input.shape)
