/**
 * Runs expressions of `sdk/spreadsheets/google-sheets/Code.gs` in a thread of its own, with stand-ins for Google's
 * services. Fetching blocks, as it does there: the thread that runs the server has to be another one.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import { parentPort, workerData } from 'node:worker_threads'

const { script, properties, expressions } = workerData as {
  script: string
  properties: Record<string, string>
  expressions: string[]
}
const kept = new Map<string, string>()
let fetches = 0

const context = createContext({
  PropertiesService: { getScriptProperties: () => ({ getProperty: (name: string) => properties[name] ?? null }) },
  CacheService: {
    getScriptCache: () => ({
      get: (name: string) => kept.get(name) ?? null,
      put: (name: string, text: string) => void kept.set(name, text),
    }),
  },
  UrlFetchApp: {
    fetch: (address: string, { headers }: { headers: Record<string, string> }) => {
      fetches += 1
      const words = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
      const { stdout } = spawnSync('curl', ['-s', '-w', '\\n%{http_code}', ...words, address], { encoding: 'utf8' })
      const end = stdout.lastIndexOf('\n')
      return { getResponseCode: () => Number(stdout.slice(end + 1)), getContentText: () => stdout.slice(0, end) }
    },
  },
  // None of the tables that the script asks for has quoted cells.
  Utilities: {
    parseCsv: (text: string) =>
      text
        .trimEnd()
        .split('\r\n')
        .map((line) => line.split(',')),
  },
})
runInContext(readFileSync(script, 'utf8'), context)
const results = expressions.map((expression) => {
  try {
    return runInContext(expression, context) as unknown
  } catch (error) {
    return { error: (error as Error).message }
  }
})
parentPort?.postMessage({ results, fetches })
