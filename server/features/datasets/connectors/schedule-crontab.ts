import { connectors } from './list.ts'

/**
 * A line for each connector. One queue for all: fetching takes minutes, and must never occupy both workers of a server. The
 * job's key keeps a late run from piling up behind itself.
 */
export const fetchCrontab: string = [...connectors.values()]
  .map(
    ({ manifest: { name, schedule } }) =>
      `${schedule} fetch_data ?id=fetch_${name}&queue=data&max=3&jobKey=fetch_${name} {connector: "${name}"}`,
  )
  .join('\n')
