import type { Secrets } from '../../../secrets/secrets.ts'
import type { Profile } from '../profile.ts'
import { contentTools } from './content-tools.ts'
import { prompts, read, resources, templates, writePrompt } from './fixture-knowledge.ts'
import { askingPrompt, questionTools, stateCodec } from './question-tools.ts'
import { schemaTools } from './schema-tools.ts'

/**
 * The fixtures that the conformance suite calls by fixed names, served by the same code as the product's tools
 * (MCP_TEST_PROFILE=on). Nothing here costs credits or reads data.
 */
export function testProfile(secrets: Secrets): Profile {
  const codec = stateCodec(secrets.derive('mcp-request-state'))
  return {
    tools: [...contentTools, ...schemaTools, ...questionTools(codec)],
    resources,
    templates,
    prompts,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      logging: {},
    },
    read,
    prompt: (name, args, context) => writePrompt(name, args) ?? askingPrompt(name, context),
    prepare(server) {
      server.setRequestHandler('logging/setLevel', () => ({}))
      server.setRequestHandler('resources/subscribe', () => ({}))
      server.setRequestHandler('resources/unsubscribe', () => ({}))
    },
    verifyState: (state, context) => codec.verify(state, context),
  }
}
