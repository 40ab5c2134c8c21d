import type { Tool } from '../../tools/define-tool.ts'
import type { Operation } from '../document/operation.ts'
import { createDriftCheck } from '../drift.ts'
import type { McpManifest } from '../manifest.ts'
import { type OpenDeps, openParts } from '../open-parts.ts'
import type { UpstreamVersion } from '../store.ts'
import { upstreamTools } from '../upstream-tools.ts'
import { callTool, refusal } from './call-tool.ts'
import { openCredential } from './credential-source.ts'
import { createDefinitionCheck } from './definition-check.ts'
import type { McpCall } from './fetch-upstream.ts'
import { LIST_BYTES } from './list-tools.ts'
import { createSessions } from './sessions.ts'

/** The tools of a version of an MCP server, with its own connections. Throws an Error when its credential cannot be used. */
export function openMcpVersion(
  deps: OpenDeps,
  version: UpstreamVersion & { manifest: McpManifest },
): { tools: Tool[]; close: () => Promise<void> } {
  const { manifest, operations } = version
  const parts = openParts(deps, version)
  const { client } = parts.route
  const credential = openCredential(manifest, deps.env, deps.lookup)
  const responseBytes = Math.round(manifest.defaults.response_mb * 2 ** 20)
  const sessions = createSessions({ ...parts.route, credential, responseBytes }, manifest.stateful)
  const listing = createSessions({ ...parts.route, credential, responseBytes: LIST_BYTES }, false)
  const checkDefinitions = createDefinitionCheck(operations, listing, parts.report)

  const runOf = (operation: Operation): Tool['run'] => {
    const { id, mcp } = operation
    const checkOutput = createDriftCheck(mcp!.output, (problem) => parts.report(id, problem))
    return async (input, context) => {
      const { caller, traceparent, signal } = context
      const call: McpCall = { names: await parts.enter(id, context), traceparent, signal }
      const answer = await client.call(call.names.account, () =>
        sessions
          .use(caller.accountId, call, (session) => callTool(session, operation, input, call, credential.texts()))
          .catch((error: unknown) => {
            throw signal.aborted ? signal.reason : refusal(error, credential.texts())
          }),
      )
      const { structuredContent, isError } = answer.mcp!
      if (structuredContent !== undefined && !isError) checkOutput(structuredContent, answer.body.length)
      checkDefinitions()
      return answer
    }
  }
  return {
    tools: upstreamTools(version, runOf),
    async close() {
      await sessions.close()
      await client.close()
    },
  }
}
