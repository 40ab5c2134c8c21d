import type { PlaygroundTool } from '#contract/playground.ts'

const maxQuickTools = 5

/** Up to five tools for the quick buttons. Tools without required arguments come first, since the buttons send none. */
export function quickTools(tools: readonly PlaygroundTool[]): PlaygroundTool[] {
  const needs = (tool: PlaygroundTool) => (requiredOf(tool).length > 0 ? 1 : 0)
  return tools.toSorted((a, b) => needs(a) - needs(b)).slice(0, maxQuickTools)
}

const requiredOf = ({ inputSchema }: PlaygroundTool): unknown[] =>
  Array.isArray(inputSchema.required) ? inputSchema.required : []
