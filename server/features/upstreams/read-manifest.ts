import { readFile } from 'node:fs/promises'
import { type Document, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { manifestProblems } from '../datasets/manifest-problems.ts'
import { type Manifest, manifestSchema } from './manifest.ts'

/** Reads one `upstreams/<id>.yaml`. Throws an Error with line and key of every problem. */
export async function readManifest(path: string): Promise<Manifest> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    throw new Error(code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read: ${message}`)
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [broken] = document.errors
  if (broken) throw new Error(`${path}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split('\n')[0]}`)
  const parsed = manifestSchema.safeParse(document.toJS())
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.flatMap((issue) =>
    manifestProblems(new z.ZodError([issue])).map(
      (problem) => `${path}:${lineOf(document, pathOf(issue), lines)}: ${problem}`,
    ),
  )
  throw new Error(`${path} is not an upstream manifest:\n- ${problems.join('\n- ')}`)
}

/** Parses an object that is no file. Throws an Error with every problem. */
export function parseManifest(given: unknown): Manifest {
  const parsed = manifestSchema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new Error(manifestProblems(parsed.error).join('\n'))
}

/** With the key itself where there should be none. */
const pathOf = (issue: z.core.$ZodIssue): PropertyKey[] =>
  issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path

/** The line of the key at `path`, or of the nearest one above it. */
function lineOf(document: Document, path: PropertyKey[], lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as { range?: [number, number, number] } | undefined
    if (node?.range) return lines.linePos(node.range[0]).line
  }
  return 1
}
