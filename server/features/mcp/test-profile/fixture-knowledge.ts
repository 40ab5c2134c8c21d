import type { GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/server'
import type { KnowledgePrompt } from '../knowledge.ts'
import { text } from './protocol-tool.ts'
import { PIXEL_PNG } from './samples.ts'

const STATIC_TEXT = 'test://static-text'
const STATIC_BINARY = 'test://static-binary'
const WATCHED = 'test://watched-resource'
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/
const PLAIN = 'text/plain'

const resource = (uri: string, description: string, mimeType: string) => ({
  uri,
  name: uri.slice('test://'.length),
  title: description,
  description,
  mimeType,
})
const argument = (name: string) => ({ name, description: `The argument ${name}`, required: true })
type PromptMessage = GetPromptResult['messages'][number]
const prompt = (name: string, ...names: string[]): KnowledgePrompt => ({
  name,
  title: name,
  description: `Fixture ${name}`,
  arguments: names.map(argument),
})
const said = (content: PromptMessage['content']): PromptMessage => ({ role: 'user', content })

const messages: Record<string, (args: Record<string, string>) => PromptMessage[]> = {
  test_simple_prompt: () => [said(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => [
    said({
      type: 'resource',
      resource: { uri: resourceUri, mimeType: PLAIN, text: 'Embedded resource content for testing.' },
    }),
    said(text('Please process the embedded resource above.')),
  ],
  test_prompt_with_image: () => [
    said({ type: 'image', data: PIXEL_PNG, mimeType: 'image/png' }),
    said(text('Please analyze the image above.')),
  ],
}

export const resources = [
  resource(STATIC_TEXT, 'A text', PLAIN),
  resource(STATIC_BINARY, 'An image', 'image/png'),
  resource(WATCHED, 'A text that changes', PLAIN),
]

export const templates = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'template',
    title: 'Data by id',
    description: 'Data by id',
    mimeType: 'application/json',
  },
]

export const prompts = [
  prompt('test_simple_prompt'),
  prompt('test_prompt_with_arguments', 'arg1', 'arg2'),
  prompt('test_prompt_with_embedded_resource', 'resourceUri'),
  prompt('test_prompt_with_image'),
  prompt('test_input_required_result_prompt'),
]

/** The messages of a prompt that asks nothing. */
export function writePrompt(name: string, args: Record<string, string>): GetPromptResult | undefined {
  const made = Object.hasOwn(messages, name) ? messages[name]!(args) : undefined
  return made && { messages: made }
}

export function read(uri: string): ReadResourceResult['contents'] | undefined {
  if (uri === STATIC_TEXT) return [{ uri, mimeType: PLAIN, text: 'This is the content of the static text resource.' }]
  if (uri === STATIC_BINARY) return [{ uri, mimeType: 'image/png', blob: PIXEL_PNG }]
  if (uri === WATCHED) return [{ uri, mimeType: PLAIN, text: 'Watched.' }]
  const id = TEMPLATE.exec(uri)?.[1]
  if (id === undefined) return undefined
  return [
    { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) },
  ]
}
