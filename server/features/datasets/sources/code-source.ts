import { isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DatasetFile, Source } from '../dataset-file.ts'
import { objectBatch, type Rows } from '../row-batch.ts'

type CodeSource = Extract<Source, { type: 'code' }>

/** The default export of an operator's module. `checkProvider` tests the rules. */
export interface DataProvider {
  /** Rows as plain objects, oldest or newest first. Stops soon after `signal` is aborted. */
  rows: (context: {
    signal: AbortSignal
    env: NodeJS.ProcessEnv
  }) => AsyncIterable<Record<string, unknown>> | Iterable<Record<string, unknown>>
}

const ROWS_PER_BATCH = 5_000

/** The provider of a module. Throws when its default export is not one. */
export async function loadProvider(directory: string, module: string): Promise<DataProvider> {
  const path = isAbsolute(module) ? module : join(directory, module)
  const { default: provider } = (await import(pathToFileURL(path).href)) as { default?: DataProvider }
  if (typeof provider?.rows !== 'function')
    throw new Error(`${module}: the default export must have a function rows().`)
  return provider
}

/** Rows of a provider, within its time limit. */
export async function* codeRows(dataset: DatasetFile, source: CodeSource, env: NodeJS.ProcessEnv): Rows {
  const provider = await loadProvider(dataset.directory, source.module)
  const signal = AbortSignal.timeout(source.timeout_seconds * 1000)
  let from = 0
  let objects: Record<string, unknown>[] = []
  const batch = () => {
    const start = from
    from += objects.length
    return objectBatch(dataset, objects, {}, (index) => `${source.module} row ${start + index + 1}`)
  }
  for await (const row of provider.rows({ signal, env })) {
    if (signal.aborted) throw new Error(`${source.module} took longer than ${source.timeout_seconds} s.`)
    objects.push(row)
    if (objects.length < ROWS_PER_BATCH) continue
    yield batch()
    objects = []
  }
  if (objects.length > 0) yield batch()
}
