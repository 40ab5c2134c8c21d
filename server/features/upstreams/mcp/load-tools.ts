import { createSecretKey } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import type { McpManifest } from '../manifest.ts'
import { signingKey } from '../open-parts.ts'
import { requirePublicHost } from '../prepare-version.ts'
import { UpstreamFailure } from '../request/failure.ts'
import { createUpstreamClient } from '../request/upstream-client.ts'
import { refusal } from './call-tool.ts'
import { openCredential } from './credential-source.ts'
import { LIST_BYTES, listOffered, operatorCall } from './list-tools.ts'
import { offeredDocument } from './offered.ts'
import { createSessions } from './sessions.ts'

/** Asks an MCP server for its tools, and for the prompts and resources that are to be published: the description that a version is read from. Throws an Error that names the address. */
export async function loadTools(
  manifest: McpManifest,
  { env, secrets }: { env: NodeJS.ProcessEnv; secrets: Deps['secrets'] },
): Promise<string> {
  const { id, base, defaults } = manifest
  requirePublicHost(manifest)
  const credential = openCredential(manifest, env)
  const client = createUpstreamClient({ ...manifest, name: id, onFailure() {} })
  const requestBytes = defaults.request_kb * 1024
  const route = {
    base: new URL(base),
    client,
    credential,
    signingKey: createSecretKey(signingKey(secrets, id)),
    requestBytes,
    responseBytes: LIST_BYTES,
  }
  const call = operatorCall()
  try {
    return await createSessions(route, false).fresh(call, async (session) => {
      const { title, name } = session.client.getServerVersion() ?? {}
      const wanted = { prompts: manifest.prompts !== undefined, resources: manifest.resources !== undefined }
      const document = offeredDocument(title ?? name ?? id, await listOffered(session, call, wanted))
      if (await credential.secret().isInWhole(Buffer.from(document)))
        throw new UpstreamFailure('what it lists repeats the credential')
      return document
    })
  } catch (error) {
    const reason = call.signal.aborted ? 'it did not answer in time' : refusal(error, credential.secret()).message
    throw new Error(`${base} did not list its tools: ${reason}`)
  } finally {
    await client.close()
  }
}
