import type { Deprecation } from '#contract/deprecation.ts'
import { checkDeprecation, deprecationHeaders, deprecationText } from '../../../http/deprecation.ts'
import type { Tool } from '../define-tool.ts'
import { namesOf } from '../input/input-names.ts'
import type { JsonSchema } from '../register-tool.ts'

/** Headers for a call with this input. */
type RetirementHeaders = (input: Readonly<Record<string, unknown>>) => Record<string, string>

/**
 * The headers of the answers of a tool that is deprecated, or that has deprecated inputs: then of the calls that use one. With
 * several, of the one that ends first. Null for all other tools. Throws for wrong dates and unknown inputs.
 */
export function retirementHeaders(tool: Tool, publicUrl: string): RetirementHeaders | null {
  const inputs = Object.entries(tool.deprecatedInputs ?? {})
  for (const [name, one] of inputs) {
    checkDeprecation(`Tool ${tool.name}, input ${name}`, one)
    if (!namesOf(tool.input).includes(name)) throw new Error(`Tool ${tool.name} has no input ${name} to deprecate.`)
  }
  if (tool.deprecated) checkDeprecation(`Tool ${tool.name}`, tool.deprecated)
  const { deprecated } = tool
  if (!deprecated && inputs.length === 0) return null
  return (input) => {
    const used = inputs.flatMap(([name, one]) => (input[name] === undefined ? [] : [one]))
    const [first] = [...(deprecated ? [deprecated] : []), ...used].sort(byEnd)
    return first ? deprecationHeaders(first, publicUrl) : {}
  }
}

const byEnd = (a: Deprecation, b: Deprecation): number => (a.ends ?? '9').localeCompare(b.ends ?? '9')

/** The description, with what is deprecated. */
export const describedTool = ({ description, deprecated }: Tool): string =>
  deprecated ? `${deprecationText(deprecated)} ${description}` : description

/** The schema of the inputs, with `deprecated: true` where it applies. */
export function markDeprecated(schema: JsonSchema, { deprecatedInputs = {} }: Tool): JsonSchema {
  const properties = { ...(schema.properties as Record<string, JsonSchema>) }
  for (const [name, one] of Object.entries(deprecatedInputs)) {
    const { description = '' } = properties[name] ?? {}
    properties[name] = {
      ...properties[name],
      deprecated: true,
      description: `${deprecationText(one)} ${description}`.trim(),
    }
  }
  return { ...schema, properties }
}
