import { randomUUID } from 'node:crypto'
import { AppError } from '../../../http/errors.ts'
import type { Tool } from '../../tools/define-tool.ts'
import type { Operation } from '../document/operation.ts'
import type { McpManifest } from '../manifest.ts'
import { type OpenDeps, type OpenedVersion, openParts } from '../open-parts.ts'
import { createDriftCheck } from '../request/compare-answer.ts'
import type { UpstreamVersion } from '../store.ts'
import { upstreamTools } from '../upstream-tools.ts'
import { callTool, refusal } from './call-tool.ts'
import { openCredential } from './credential-source.ts'
import { createDefinitionCheck } from './definition-check.ts'
import { createSaysError } from './error-texts.ts'
import { Canceled, type McpCall } from './fetch-upstream.ts'
import { getPrompt } from './get-prompt.ts'
import type { WholeAnswer } from './json-answer.ts'
import { LIST_BYTES } from './list-tools.ts'
import { createProgressReader } from './read-progress.ts'
import { readResource, requireOwn } from './read-resource.ts'
import { createResourceUris } from './resource-uris.ts'
import type { Session } from './session.ts'
import { createSessions } from './sessions.ts'

/** The tools of a version of an MCP server, with its own connections. Throws an Error when its credential cannot be used. */
export function openMcpVersion(deps: OpenDeps, version: UpstreamVersion & { manifest: McpManifest }): OpenedVersion {
  const { manifest, operations } = version
  const parts = openParts(deps, version)
  const { client } = parts.route
  const credential = openCredential(manifest, deps.env, deps.lookup)
  const responseBytes = Math.round(manifest.defaults.response_mb * 2 ** 20)
  const sessions = createSessions({ ...parts.route, credential, responseBytes }, manifest.stateful)
  const listing = createSessions({ ...parts.route, credential, responseBytes: LIST_BYTES }, false)
  const checkDefinitions = createDefinitionCheck(operations, listing, parts.report, client.probeFailed)

  const { published = [], withheld = [] } = operations.find(({ resources }) => resources)?.resources ?? {}
  const uris = createResourceUris(version.id, published, withheld)

  const runOf = (operation: Operation): Tool['run'] => {
    const { id, mcp, prompt } = operation
    const checkOutput = createDriftCheck(mcp?.output ?? null, (problem) => parts.report(id, problem))
    const { error_texts = manifest.defaults.error_texts ?? [] } = manifest.operations[id] ?? {}
    const saysError = createSaysError(error_texts)
    const work = (session: Session, input: Record<string, unknown>, call: McpCall, progressToken?: string) => {
      const terms = { secret: credential.secret(), uris, saysError, progressToken }
      if (mcp) return callTool(session, operation, input, call, terms)
      return prompt
        ? getPrompt(session, operation, input, call, terms)
        : readResource(session, String(input.uri), call, terms)
    }
    return async (input, context) => {
      const { caller, traceparent, signal } = context
      if (operation.resources) requireOwn(String(input.uri), uris)
      const names = { ...(await deps.namesOf(caller)), request: context.requestId }
      const { progress, canceled } = context.client
      if (canceled?.aborted) throw new AppError('request_timeout', 'The client has left.')
      const call: McpCall = { names, traceparent, signal: canceled ? withCancel(signal, canceled) : signal }
      const token = progress && randomUUID()
      if (token) {
        const read = createProgressReader(token, credential.secret)
        call.onMessage = (message) => {
          const news = read(message)
          if (news) progress(news)
        }
      }
      try {
        const answer = await client.call({ account: names.account, operation: id }, () =>
          sessions
            .use(caller.accountId, call, (session) => work(session, input, call, token))
            .catch((error: unknown) => {
              throw signal.aborted ? signal.reason : refusal(error, credential.secret())
            }),
        )
        const { structuredContent, isError } = answer.mcp ?? {}
        if (structuredContent !== undefined && !isError) checkOutput(structuredContent, answer.body.length)
        checkDefinitions()
        return answer
      } catch (error) {
        if (error instanceof Canceled) return LEFT
        throw error
      }
    }
  }
  return {
    tools: upstreamTools(version, runOf),
    health: client.health,
    async close() {
      await sessions.close()
      await client.close()
    },
  }
}

/** Nobody reads it. */
const LEFT: WholeAnswer = { status: 200, headers: {}, body: Buffer.alloc(0), mcp: { content: [] }, canceled: true }

/** Aborted by the call's own end, and by its client. */
function withCancel(signal: AbortSignal, canceled: AbortSignal): AbortSignal {
  const ended = new AbortController()
  canceled.addEventListener('abort', () => ended.abort(new Canceled()), { once: true })
  return AbortSignal.any([signal, ended.signal])
}
