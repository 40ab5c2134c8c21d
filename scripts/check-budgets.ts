/**
 * Script bytes (gzip) of each class of page, from Vite's manifest: the static import graph of the entry and of the
 * chunks that the page loads on its own. `beyond` names what an earlier page has already loaded.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

interface Chunk {
  file: string
  imports?: string[]
  dynamicImports?: string[]
  isEntry?: boolean
}

const KIB = 1024
const outDir = 'dist/web'
const readManifest = (name: string) =>
  JSON.parse(readFileSync(join(outDir, '.vite', name), 'utf8')) as Record<string, Chunk>
// The documentation is built separately. Entries in both manifests differ only in dynamic imports, which are not
// counted.
const manifest = { ...readManifest('docs.json'), ...readManifest('manifest.json') }
const { budgets } = JSON.parse(readFileSync('e2e/perf/budgets.json', 'utf8')) as {
  budgets: { page: string; entry?: string; chunks: string[]; kib: number; beyond?: string[] }[]
}

const sizes = new Map<string, number>()
const size = (file: string): number => {
  if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(join(outDir, file)), { level: 9 }).length)
  return sizes.get(file)!
}

function graph(keys: string[]): Set<string> {
  const files = new Set<string>()
  const visit = (key: string): void => {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`${key} is not in the manifest`)
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    for (const next of chunk.imports ?? []) visit(next)
  }
  for (const key of keys) visit(key)
  return files
}

const application = 'index.html'
if (!manifest[application]?.isEntry) throw new Error('the manifest has no application')
/** The chunk of a source file; the router adds a suffix to the names of route components. */
const chunkKey = (source: string): string => {
  const key = Object.keys(manifest).find((name) => name === source || name.startsWith(`${source}?`))
  if (!key) throw new Error(`no chunk for ${source}; the manifest has ${Object.keys(manifest).join(', ')}`)
  return key
}

let failures = 0
for (const { page, entry = application, chunks, kib, beyond } of budgets) {
  const files = graph([entry, ...chunks.map(chunkKey)])
  const known = beyond ? graph([entry, ...beyond.map(chunkKey)]) : new Set<string>()
  const bytes = [...files].filter((file) => !known.has(file)).reduce((sum, file) => sum + size(file), 0)
  const good = bytes <= kib * KIB
  if (!good) failures += 1
  console.log(`${good ? 'ok    ' : 'OVER  '} ${page}: ${(bytes / KIB).toFixed(1)} of ${kib} KiB`)
}
process.exitCode = failures > 0 ? 1 : 0
