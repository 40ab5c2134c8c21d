import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

const chart = join(import.meta.dirname, '../helm')
type Scope = { dot: unknown; root: unknown; variables: Record<string, unknown> }
type Node = string | { head: string; body: Node[] }

/**
 * The chart's objects for a release named `finmeter`. Understands only the template language that the chart uses, and throws on
 * anything else; where helm is installed, the test compares.
 */
export function renderChart(changes: Record<string, unknown> = {}): Record<string, unknown>[] {
  const about = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as Record<string, string>
  const values = { ...(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as object), ...changes }
  const root = {
    Values: values,
    Release: { Name: 'finmeter' },
    Chart: { Name: about.name, Version: about.version, AppVersion: about.appVersion },
  }
  const partials: Record<string, Node[]> = {}
  const files = readdirSync(join(chart, 'templates')).sort()
  const trees = files.map((file) => readTree(readFileSync(join(chart, 'templates', file), 'utf8')))
  for (const node of trees.flat())
    if (typeof node !== 'string' && node.head.startsWith('define ')) partials[node.head.slice(8, -1)] = node.body

  const write = (nodes: Node[], scope: Scope): string => nodes.map((node) => writeNode(node, scope)).join('')
  const writeNode = (node: Node, scope: Scope): string => {
    if (typeof node === 'string') return node
    const { head, body } = node
    if (head.startsWith('define ')) return ''
    if (head.startsWith('if ')) return evaluate(head.slice(3), scope) ? write(body, scope) : ''
    const pairs = /^range \$(\w+), \$(\w+) := (.+)$/.exec(head)
    if (pairs)
      return Object.entries(evaluate(pairs[3]!, scope) as object)
        .map(([name, value]) => write(body, { ...scope, variables: { [pairs[1]!]: name, [pairs[2]!]: value } }))
        .join('')
    if (head.startsWith('range '))
      return (evaluate(head.slice(6), scope) as unknown[]).map((dot) => write(body, { ...scope, dot })).join('')
    return String(evaluate(head, scope))
  }
  const evaluate = (text: string, scope: Scope): unknown =>
    text.split(' | ').reduce<unknown>((given, step, index) => {
      const words = step.match(/"[^"]*"|\S+/g) ?? []
      if (index === 0 && words[0] === 'include') return write(partials[String(atom(words[1]!, scope))]!, scope).trim()
      if (index === 0 && words.length === 1) return atom(words[0]!, scope)
      const argument = words[1] === undefined ? undefined : atom(words[1], scope)
      if (words[0] === 'quote') return JSON.stringify(String(given))
      if (words[0] === 'toJson') return JSON.stringify(given)
      if (words[0] === 'default') return given || argument
      if (words[0] === 'trimPrefix') return String(given).replace(String(argument), '')
      if (words[0] === 'nindent') return `\n${String(given).replace(/^(?=.)/gm, ' '.repeat(Number(argument)))}`
      throw new Error(`the chart's test does not know ${step}`)
    }, undefined)
  const scope = { dot: root, root, variables: {} }
  return trees
    .map((tree) => write(tree, scope))
    .flatMap((text) => parseAllDocuments(text))
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0]
      return document.toJS() as Record<string, unknown>
    })
    .filter(Boolean)
}

function atom(word: string, { dot, variables }: Scope): unknown {
  if (/^"/.test(word)) return word.slice(1, -1)
  if (/^\d+$/.test(word)) return Number(word)
  if (word === '.') return dot
  if (word.startsWith('$')) return variables[word.slice(1)]
  let value: unknown = dot
  for (const name of word.slice(1).split('.')) {
    if (typeof value !== 'object' || value === null || !(name in value))
      throw new Error(`${word} is not in values.yaml`)
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** Text and actions, with the bodies of `define`, `if` and `range`; a dash trims the white space on its side. */
function readTree(text: string): Node[] {
  const root: Node[] = []
  const open: Node[][] = [root]
  let rest = text
  for (let found = /\{\{(-?) (.*?) (-?)\}\}/.exec(rest); found; found = /\{\{(-?) (.*?) (-?)\}\}/.exec(rest)) {
    const before = rest.slice(0, found.index)
    open.at(-1)!.push(found[1] ? before.trimEnd() : before)
    rest = rest.slice(found.index + found[0].length)
    if (found[3]) rest = rest.trimStart()
    const head = found[2]!.trim()
    if (head === 'end') open.pop()
    else {
      const node = { head, body: [] }
      open.at(-1)!.push(node)
      if (/^(define|if|range) /.test(head)) open.push(node.body)
    }
  }
  if (open.length !== 1) throw new Error('an action has no end')
  root.push(rest)
  return root
}
