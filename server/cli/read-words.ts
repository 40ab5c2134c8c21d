import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { print, printError, Usage } from './print.ts'

/**
 * What was typed after a command's name. `--help` prints how the command is used and ends with code 0; an unknown option,
 * or one without its value, ends with code 2 and says which it is.
 */
export function readWords<const O extends ParseArgsOptionsConfig>(usage: string, options: O) {
  try {
    const help = { type: 'boolean', short: 'h' } as const
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { ...options, help } })
    if (!(values as { help?: boolean }).help) return { words: positionals, values }
    print(...usage.split('\n'))
    process.exit(0)
  } catch (error) {
    // Its second sentence explains a notation that no command of ours needs.
    const [what] = (error as Error).message.split('. ')
    return refuseWords(usage, what!.replace(/\.?$/, '.'))
  }
}

/** The act of that name, or the command ends with code 2 and says how it is used. */
export function chooseAct<A>(acts: Record<string, A | undefined>, name: string | undefined, usage: string): A {
  const act = name !== undefined && Object.hasOwn(acts, name) ? acts[name] : undefined
  return act ?? refuseWords(usage, name === undefined ? undefined : `There is no ${name} here.`)
}

export function refuseWords(usage: string, reason?: string): never {
  printError(new Usage(reason ? `${reason}\n\n${usage}` : usage))
  process.exit(2)
}
