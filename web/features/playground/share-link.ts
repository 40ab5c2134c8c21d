import { withoutKeys } from '../../lib/mask.ts'
import { visible } from '../../lib/visible.ts'
import { type Tab, tabs } from './tab.ts'

/** Views of the Tools tab. */
const toolViews = ['tools', 'resources', 'prompts', 'log'] as const
export type ToolView = (typeof toolViews)[number]

/** The parameters of the playground's URL. A link fills in a question or a form, and runs nothing. */
export interface PlaygroundSearch {
  tab?: Tab
  view?: ToolView
  /** A question for the chat. */
  ask?: string
  /** A tool whose form is open, */
  tool?: string
  /** filled with these arguments. */
  args?: Record<string, unknown>
}

const maxQuestion = 1000
const maxName = 200
const maxArguments = 4000

/** The raw parameters. The page validates them, because the code of routes is part of every page. */
export type GivenSearch = { [name in keyof PlaygroundSearch]?: unknown }

/** Reads the parameters and drops invalid ones. Hidden characters of a question are shown: a model would read them. */
export function readSearch(given: GivenSearch): PlaygroundSearch {
  const { view, tool, args } = given
  const tab = tabs.find((one) => one === given.tab)
  // The router reads ?ask=5 as a number.
  const ask = typeof given.ask === 'number' ? String(given.ask) : given.ask
  const fields = typeof args === 'object' && args !== null && !Array.isArray(args) ? args : null
  return {
    ...(tab && { tab }),
    ...(toolViews.includes(view as ToolView) && { view: view as ToolView }),
    ...(typeof ask === 'string' && ask !== '' && { ask: visible(ask.slice(0, maxQuestion)) }),
    ...(typeof tool === 'string' && tool !== '' && tool.length <= maxName && { tool }),
    ...(fields && JSON.stringify(fields).length <= maxArguments && { args: fields as Record<string, unknown> }),
  }
}

/** The URL of a question or a call. Never contains an API key, even if someone typed one. */
export function shareLink(origin: string, search: PlaygroundSearch): string {
  const { tab, ask, tool, args } = search
  const url = new URL('/dashboard/playground', origin)
  const set = (name: string, value: string | undefined) => {
    if (value !== undefined) url.searchParams.set(name, withoutKeys(value))
  }
  set('tab', tab)
  // The router reads a value that looks like JSON as JSON.
  set('ask', ask === undefined || !isJson(ask) ? ask : JSON.stringify(ask))
  set('tool', tool)
  set('args', args && Object.keys(args).length > 0 ? JSON.stringify(args) : undefined)
  return url.href
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
