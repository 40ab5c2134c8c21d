import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Answer, Asked } from '#sandbox/sources/answer.ts'
import { startSandboxSources } from '#sandbox/sources/start-sources.ts'
import { type DatasetPart, loadPart } from '../../../market-data/dataset-part.ts'
import { versionStore } from '../../version-store.ts'
import type { Connector } from '../connector.ts'
import { type RunOptions, runConnector } from '../run-connector.ts'
import { connectorFiles } from '../run-state.ts'

/** A connector with its own directory and the sandbox in the place of its source. No test waits: sleeping is noted. */
export async function connectorBench(connector: Connector, answers: string | null = null) {
  const directory = await mkdtemp(join(tmpdir(), 'finmeter-connector-'))
  const bench = {
    interfere: (_: Asked, answer: Answer): Answer => answer,
    nowMs: Date.parse('2026-11-23T12:00:00Z'),
    slept: [] as number[],
  }
  const sources = await startSandboxSources({ answers, interfere: (asked, answer) => bench.interfere(asked, answer) })
  const published = join(directory, 'datasets')
  const root = join(directory, 'connectors')
  const options: RunOptions = {
    root,
    published,
    selection: [],
    progress: () => {},
    wire: {
      limits: { turn: async () => {} },
      userAgent: 'Finmeter/test tests@example.com',
      secret: connector.manifest.secret ? 'sandbox-secret/key' : null,
      secretName: connector.manifest.secret,
      throttledMs: connector.manifest.throttledSeconds ? connector.manifest.throttledSeconds * 1000 : null,
      timeoutMs: 5_000,
      via: sources.via,
      now: () => bench.nowMs,
      sleep: async (ms) => {
        bench.slept.push(ms)
        bench.nowMs += ms
      },
    },
  }
  return Object.assign(bench, {
    directory,
    asked: sources.asked,
    options,
    run: (changes: Partial<RunOptions> = {}) => runConnector(connector, { ...options, ...changes }),
    state: () => connectorFiles(root, connector.manifest.name).readState(),
    /** A served dataset; null if there is none. */
    async served(id: string): Promise<DatasetPart | null> {
      const store = versionStore(published)
      const version = await store.current(id)
      if (!version) return null
      const { files, manifest } = await store.read(id, version)
      return loadPart(files, manifest)
    },
    /** The values of a served series by date. */
    async series(id: string, series: string): Promise<Record<string, number>> {
      const part = await this.served(id)
      const found = part?.kind === 'series' ? part.series.find((one) => one.id === series) : undefined
      return Object.fromEntries(
        [...(found?.times ?? [])].map((day, at) => [
          new Date(day * 86_400_000).toISOString().slice(0, 10),
          found!.values[at]!,
        ]),
      )
    },
    async close() {
      await sources.close()
      await rm(directory, { recursive: true, force: true })
    },
  })
}

export type ConnectorBench = Awaited<ReturnType<typeof connectorBench>>
