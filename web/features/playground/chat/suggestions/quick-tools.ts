import type { PlaygroundTool } from '#contract/playground.ts'
import { byInterest } from './own-tools.ts'

const maxQuickTools = 5

/**
 * Up to five tools for the quick buttons. Tools without required arguments come first, since the buttons send none. Those
 * that may destroy something are called from the Tools tab alone.
 */
export function quickTools(tools: readonly PlaygroundTool[]): PlaygroundTool[] {
  const needs = (tool: PlaygroundTool) => (requiredOf(tool).length > 0 ? 1 : 0)
  return byInterest(tools)
    .filter(({ hints }) => !hints?.destructive || hints.readOnly)
    .toSorted((a, b) => needs(a) - needs(b))
    .slice(0, maxQuickTools)
}

const requiredOf = ({ inputSchema }: PlaygroundTool): unknown[] =>
  Array.isArray(inputSchema.required) ? inputSchema.required : []
