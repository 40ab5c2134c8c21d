import type { DataProvider } from './sources/code-source.ts'

const MAX_ROWS = 1_000

/**
 * Conformance test for code providers: returns the broken rules as sentences. Rules: rows are plain objects with the
 * given fields, two runs start with the same rows, and a run stops when its signal is aborted. Reads at most the first
 * 1,000 rows.
 */
export async function checkProvider(
  provider: DataProvider,
  columns: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string[]> {
  const problems: string[] = []
  const read = async () => {
    const controller = new AbortController()
    const rows: Record<string, unknown>[] = []
    for await (const row of provider.rows({ signal: controller.signal, env })) {
      rows.push(row)
      if (rows.length === MAX_ROWS) break
    }
    return rows
  }
  const first = await read()
  if (first.length === 0) problems.push('rows() returns no rows.')
  const strange = first.findIndex((row) => row === null || typeof row !== 'object' || Array.isArray(row))
  if (strange !== -1) problems.push(`Row ${strange + 1} is not a plain object.`)
  for (const column of columns) {
    const absent = first.findIndex((row) => row !== null && typeof row === 'object' && !(column in row))
    if (absent !== -1) problems.push(`Row ${absent + 1} has no ${column}.`)
  }
  if (JSON.stringify(first) !== JSON.stringify(await read())) problems.push('Two runs start with different rows.')
  if (!(await stops(provider, env))) problems.push('rows() continues after its signal was aborted.')
  return problems
}

/** Whether a run whose signal is already aborted ends soon, by stopping or by throwing. */
async function stops(provider: DataProvider, env: NodeJS.ProcessEnv): Promise<boolean> {
  let rows = 0
  try {
    for await (const _ of provider.rows({ signal: AbortSignal.abort(), env })) if (++rows > 1) return false
  } catch {
    return true
  }
  return true
}
