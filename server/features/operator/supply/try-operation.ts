import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { supplyRoutes } from '#contract/operator/supply-routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { BodyAnswer, Tool, ToolContext } from '../../tools/define-tool.ts'
import type { JsonInput } from '../../tools/json-input.ts'
import { billOf } from '../../tools/price.ts'
import { createAnswerCache } from '../../upstreams/cache/answer-cache.ts'
import { parseManifest } from '../../upstreams/read-manifest.ts'
import { openAnyVersion } from '../../upstreams/serve-upstreams.ts'
import { readVersion } from '../../upstreams/store.ts'
import type { OperatorContext } from '../console/context.ts'
import { refusing } from '../console/refuse.ts'
import { logAct } from '../console/run-act.ts'
import { envOf } from './load-source.ts'

type Tried = z.input<typeof supplyRoutes.tryUpstream.data>
type Wanted = z.output<typeof supplyRoutes.tryUpstream.body>

const SHOWN_BYTES = 64 * 1024
/** Who calls, for the upstream: no account and no key. */
const OPERATOR = { account: 'operator', key: null }

/**
 * Sends one request of an operation to the upstream, with the operator's credential and the version's own connections. Nobody is
 * charged, and there is neither usage nor receipt; the log says who tried what. Throws not_found, and invalid_parameter for inputs.
 */
export async function tryOperation(ctx: OperatorContext, id: string, wanted: Wanted): Promise<Tried> {
  const { deps } = ctx
  const stored = await readVersion(deps.db.kysely, id, wanted.version)
  if (!stored) throw new AppError('not_found', `There is no version ${wanted.version} of this upstream.`)
  const manifest = parseManifest(stored.manifest)
  let cause: string | null = null
  const env = await envOf(deps, manifest)
  const opened = await refusing('invalid_parameter', async () =>
    openAnyVersion(
      {
        db: deps.db,
        log: deps.log,
        metrics: null,
        secrets: deps.secrets,
        env,
        namesOf: () => OPERATOR,
        // Its own and empty: a trial asks the upstream, and keeps nothing.
        cache: createAnswerCache(),
        onFailure: ({ message }) => {
          cause = message
        },
      },
      { ...stored, manifest },
    ),
  )
  try {
    const tool = opened.tools.find(({ upstream }) => upstream!.operation === wanted.operation)
    if (!tool) throw new AppError('not_found', `Version ${wanted.version} does not publish ${wanted.operation}.`)
    const input = (tool.input as JsonInput).parse(wanted.input)
    await logAct(
      deps.db.kysely,
      ctx.operator.email,
      { action: 'upstream.tried', target: id, reason: 'Tried in the console' },
      { after: { version: wanted.version, operation: wanted.operation } },
    )
    return await run(deps, tool, input, () => cause)
  } finally {
    await opened.close()
  }
}

async function run(
  deps: Deps,
  tool: Tool,
  input: Record<string, unknown>,
  causeOf: () => string | null,
): Promise<Tried> {
  const beganMs = performance.now()
  const tookMs = () => Math.round(performance.now() - beganMs)
  const signal = AbortSignal.timeout(tool.timeoutMs!)
  try {
    const answer = (await tool.run(input, contextOf(deps, signal))) as BodyAnswer
    const { credits } = billOf(tool, answer)
    const { bytes, shown } = await firstOf(answer)
    return {
      status: answer.status,
      problem: null,
      headers: answer.headers,
      body: shown,
      bytes,
      duration_ms: tookMs(),
      credits,
    }
  } catch (error) {
    const late = signal.aborted ? `it did not answer within ${tool.timeoutMs} ms` : null
    if (!(error instanceof AppError) && !late) throw error
    const problem = late ?? causeOf() ?? (error as Error).message
    return { status: null, problem, headers: {}, body: '', bytes: 0, duration_ms: tookMs(), credits: 0 }
  }
}

const contextOf = (deps: Deps, signal: AbortSignal): ToolContext => ({
  deps,
  // An operation of an upstream reads no market data.
  get market(): never {
    throw new Error('A trial has no market data.')
  },
  caller: { accountId: 0, bucket: 0, keyId: null, rateLimitPerMinute: null },
  streams: true,
  idempotencyKey: randomUUID(),
  requestId: randomUUID(),
  client: {},
  traceparent: null,
  signal,
})

/** Of a stream, what came until there is enough to show, or it ended. */
async function firstOf(answer: BodyAnswer): Promise<{ bytes: number; shown: string }> {
  const text = (body: Buffer) => body.subarray(0, SHOWN_BYTES).toString('utf8')
  if ('body' in answer) return { bytes: answer.body.length, shown: text(answer.body) }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer.stream) {
    chunks.push(Buffer.from(chunk))
    bytes += chunks.at(-1)!.length
    if (bytes >= SHOWN_BYTES) break
  }
  answer.stream.destroy()
  return { bytes, shown: text(Buffer.concat(chunks)) }
}
