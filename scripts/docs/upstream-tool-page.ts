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

/** The page of an operation that an operator published. Every text of its description is plain text. */
export function upstreamToolPage(entry: RegisteredTool): SourcePage {
  const { tool, inputSchema, outputSchema } = entry
  const title = upstreamTitle(entry)
  const example = mapText(sampleInputs(inputSchema, tool.example), (text) => shownText(text, MOST_OF_VALUE)) as Record<
    string,
    unknown
  >
  const { first, rest } = divided(tool.description)
  const description = shownText(plainWords(first), MOST_OF_DESCRIPTION)
  const given = tool.exampleAnswer
  const hasSchema = Object.keys(outputSchema).length > 0
  return toolPage(
    { ...plainEntry(entry), tool: { ...tool, example } },
    {
      group: title,
      // Descriptions without one repeat their summary, which the page already has as its title.
      description: description.replace(/\.$/, '') === tool.title ? `An operation of ${title}.` : description,
      about: plainMarkdownText(rest),
      answer:
        given === undefined
          ? []
          : ['## Response', `An example from the description of ${plainLine(title)}.`, jsonBlock(given)],
      more: [...(hasSchema ? ['## Response schema', jsonBlock(outputSchema)] : []), '## Terms', terms(entry, title)],
    },
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
