import type { Tool } from '../../server/features/tools/define-tool.ts'
import type { OperationOf } from './request-example.ts'

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Finds the tool that answers a request, by its method and path. Throws for a request that none answers. */
export const findOperation =
  (tools: readonly Tool[]): OperationOf =>
  ({ path, body, method = body === undefined ? 'GET' : 'POST' }) => {
    const [bare = ''] = path.split('?')
    const found = tools.find(
      ({ rest }) =>
        rest?.method === method &&
        new RegExp(
          `^${rest.path
            .split(/\{[^{}]+\}/)
            .map(escaped)
            .join('[^/]+')}$`,
        ).test(bare),
    )
    if (!found?.rest) throw new Error(`no tool answers ${path}`)
    return { tool: found.name, template: found.rest.path }
  }
