import type { ExampleState } from './example-state.ts'

/** The command that sells the file of the example, at its price. */
export function addCommand({ file, api, price }: Pick<ExampleState, 'file' | 'api' | 'price'>): string {
  const base = api.base ?? `https://api.${api.id}.example`
  return `npm run upstream -- add ${quoted(file)} --id ${api.id} --base ${base} --price ${price}`
}

const quoted = (word: string): string => (/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
