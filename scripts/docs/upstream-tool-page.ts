import { mostOf } from '../../server/features/tools/price.ts'
import type { RegisteredTool } from '../../server/features/tools/register-tool.ts'
import { shownText } from '../../server/features/upstreams/document/shown-text.ts'
import { mapText, plainEntry } from './plain-entry.ts'
import { plainLine, plainMarkdownText, plainWords } from './plain-text.ts'
import { sampleInputs } from './sample-inputs.ts'
import type { SourcePage } from './site-page.ts'
import { toolPage } from './tool-page.ts'

const MOST_CHARACTERS = 6_000
const MOST_OF_VALUE = 200
const MOST_OF_DESCRIPTION = 300

export const upstreamTitle = ({ tool: { upstream } }: RegisteredTool): string => upstream!.title ?? upstream!.id

/** A tool that others described, with an example, for pages whose texts are Markdown. */
export function withExample(entry: RegisteredTool): RegisteredTool {
  const { tool, inputSchema } = entry
  if (!tool.upstream) return entry
  const example = mapText(sampleInputs(inputSchema, tool.example), (text) => shownText(text, MOST_OF_VALUE))
  return { ...plainEntry(entry), tool: { ...tool, example: example as Record<string, unknown> } }
}

/** The section with the answer that its description gives. */
export function givenAnswer(entry: RegisteredTool): string[] {
  const given = entry.tool.exampleAnswer
  if (given === undefined) return []
  return ['## Response', `An example from the description of ${plainLine(upstreamTitle(entry))}.`, jsonBlock(given)]
}

/** The page of an operation that an operator published. Every text of its description is plain text. */
export function upstreamToolPage(entry: RegisteredTool): SourcePage {
  const { tool, outputSchema } = entry
  const title = upstreamTitle(entry)
  const { first, rest } = divided(tool.description)
  const description = shownText(plainWords(first), MOST_OF_DESCRIPTION)
  // A type alone tells a reader nothing.
  const hasSchema = Object.keys(outputSchema).some((key) => key !== 'type')
  return toolPage(withExample(entry), {
    group: title,
    // Descriptions without one repeat their summary, which the page already has as its title.
    description: description.replace(/\.$/, '') === tool.title ? endpointText(entry) : description,
    about: plainMarkdownText(rest),
    answer: givenAnswer(entry),
    more: [...(hasSchema ? ['## Response schema', jsonBlock(outputSchema)] : []), '## Terms', terms(entry, title)],
  })
}

const endpointText = (entry: RegisteredTool): string => {
  const { rest } = entry.tool
  return shownText(
    plainWords(rest ? `${rest.method} ${rest.path}` : `An operation of ${upstreamTitle(entry)}.`),
    MOST_OF_DESCRIPTION,
  )
}

/** The first sentence or line, and what follows. */
function divided(description: string): { first: string; rest: string } {
  const text = description.trim()
  const first = /^[^\n]*?[.](?=\s|$)/.exec(text)?.[0] ?? text.split('\n', 1)[0]!
  return { first, rest: text.slice(first.length) }
}

function jsonBlock(value: unknown): string {
  const whole = JSON.stringify(
    mapText(value, (text) => shownText(text, MOST_CHARACTERS)),
    null,
    2,
  )
  const shown =
    whole.length > MOST_CHARACTERS ? `${whole.slice(0, whole.lastIndexOf('\n', MOST_CHARACTERS))}\n…` : whole
  const cut = shown === whole ? '' : '\n\nThe rest is in [openapi.json](/openapi.json).'
  return `\`\`\`json\n${shown}\n\`\`\`${cut}`
}

function terms({ tool, holds }: RegisteredTool, title: string): string {
  const { charge = ['2xx'], plans = [], timeoutMs = 10_000, streamMs, credits } = tool
  const most = mostOf(credits)
  const lines = [
    `${plainLine(title)} answers the call. The response is passed on unchanged.`,
    credits.credits === 0
      ? 'The call is free.'
      : `Charged: responses with status ${charge.join(', ')}. Everything else is free.`,
    holds !== undefined &&
      `Before the call, ${count(holds, 'credit')} ${holds === 1 ? 'is' : 'are'} set aside. What it does not cost is returned.`,
    holds === undefined &&
      most !== undefined &&
      credits.kind !== 'fixed' &&
      `It costs at most ${count(most, 'credit')}.`,
    plans.length > 0 &&
      `It is part of the plans: ${plans.map(plainLine).join(', ')}. Other accounts get [not_entitled](/docs/errors/not_entitled).`,
    streamMs === undefined
      ? `A response that takes longer than ${count(timeoutMs / 1000, 'second')} is an error, and free.`
      : `The response is a stream. It is passed on as it arrives, for at most ${duration(streamMs)}, and its price is settled at its end. Over MCP it arrives as a whole.`,
  ]
  return lines
    .filter(Boolean)
    .map((line) => `- ${line}`)
    .join('\n')
}

const duration = (ms: number) => (ms < 120_000 ? count(ms / 1000, 'second') : count(ms / 60_000, 'minute'))

const count = (number: number, thing: string): string =>
  `${Number(number.toFixed(1)).toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`
