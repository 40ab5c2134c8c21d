import type { Call, Command, Option } from './command.ts'
import { CliError } from './exit-codes.ts'
import { globalOptions } from './help.ts'
import { out } from './print.ts'

const shells = { bash, zsh, fish }

/** Prints the script for a shell. */
export async function completion({ positionals: [shell] }: Call, commands: readonly Command[]): Promise<void> {
  const write = Object.hasOwn(shells, shell!) ? shells[shell as keyof typeof shells] : undefined
  if (!write) throw new CliError('usage', `There is no completion for ${shell}.`, 'Choose bash, zsh or fish.')
  out(write(commands))
}

const optionsOf = ({ options = [] }: Command): Option[] => [...options, ...globalOptions]
const flags = (options: Option[]) => options.map(({ name }) => `--${name}`)

/** What can follow each beginning: `` gives commands, `keys` its subcommands, `keys create` its options. */
function following(commands: readonly Command[]): Map<string, string[]> {
  const found = new Map<string, string[]>([['', []]])
  for (const command of commands) {
    const [first, second] = command.name.split(' ') as [string, string?]
    const top = found.get('')!
    if (!top.includes(first)) top.push(first)
    if (second) found.set(first, [...(found.get(first) ?? []), second])
    found.set(command.name, [...(command.words ?? []), ...flags(optionsOf(command))])
  }
  return found
}

/** The choices of options: `bars --range` gives its ranges. */
const choicesOf = (commands: readonly Command[]) =>
  commands.flatMap((command) =>
    optionsOf(command)
      .filter(({ value }) => value !== undefined)
      .map(({ name, choices = [] }) => [`${command.name} --${name}`, choices] as const),
  )

const pathWords = (commands: readonly Command[]) => [...new Set(commands.flatMap(({ name }) => name.split(' ')))]

function bash(commands: readonly Command[]): string {
  const row = ([key, words]: readonly [string, readonly string[]]) => `    '${key}') words='${words.join(' ')}' ;;`
  return `# bash completion of finmeter: source <(finmeter completion bash)
_finmeter() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      ${pathWords(commands).join('|')}) path=\${path:+$path }$word ;;
    esac
  done
  case "$path $previous" in
${choicesOf(commands).map(row).join('\n')}
    *) case $path in
${[...following(commands)].map(row).join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _finmeter finmeter
`
}

function zsh(commands: readonly Command[]): string {
  const row = ([key, words]: readonly [string, readonly string[]]) => `    '${key}') found=(${words.join(' ')}) ;;`
  return `#compdef finmeter
# zsh completion of finmeter: finmeter completion zsh > "\${fpath[1]}/_finmeter", or source it
_finmeter() {
  local previous=\${words[CURRENT-1]} typed='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in
      ${pathWords(commands).join('|')}) typed=\${typed:+$typed }$word ;;
    esac
  done
  case "$typed $previous" in
${choicesOf(commands).map(row).join('\n')}
    *) case $typed in
${[...following(commands)].map(row).join('\n')}
    esac ;;
  esac
  compadd -- $found
}
if [[ \${funcstack[1]} == _finmeter ]]; then _finmeter "$@"; else compdef _finmeter finmeter; fi
`
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`
  const seen = (name: string) =>
    name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
  const lines = ['# fish completion of finmeter: finmeter completion fish | source', 'complete -c finmeter -f']
  for (const first of new Set(commands.map(({ name }) => name.split(' ')[0]!))) {
    const all = commands.filter(({ name }) => name.split(' ')[0] === first)
    const about = all.length === 1 ? all[0]!.about : all.map(({ name }) => name.split(' ')[1]).join(', ')
    lines.push(`complete -c finmeter -n __fish_use_subcommand -a ${first} -d ${quoted(about)}`)
    const seconds = all.flatMap(({ name }) => name.split(' ')[1] ?? [])
    for (const command of all) {
      const [, second] = command.name.split(' ')
      if (second)
        lines.push(
          `complete -c finmeter -n ${quoted(`${seen(first)}; and not __fish_seen_subcommand_from ${seconds.join(' ')}`)} -a ${second} -d ${quoted(command.about)}`,
        )
      for (const word of command.words ?? [])
        lines.push(`complete -c finmeter -n ${quoted(seen(command.name))} -a ${word}`)
      for (const { name, value, choices, about: what } of command.options ?? [])
        lines.push(
          `complete -c finmeter -n ${quoted(seen(command.name))} -l ${name} -d ${quoted(what)}${value ? ' -x' : ''}${choices ? ` -a ${quoted(choices.join(' '))}` : ''}`,
        )
    }
  }
  for (const { name, value, about } of globalOptions)
    lines.push(`complete -c finmeter -l ${name} -d ${quoted(about)}${value ? ' -x' : ''}`)
  return `${lines.join('\n')}\n`
}
