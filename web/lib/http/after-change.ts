import type { MutationFunctionContext, QueryKey } from '@tanstack/react-query'

/** For `onSuccess`: refetches the queries, and all whose keys begin with theirs, before the mutation settles. */
export const refetching =
  (...queries: { queryKey: QueryKey }[]) =>
  (_output: unknown, _input: unknown, _before: unknown, { client }: MutationFunctionContext) =>
    Promise.all(queries.map(({ queryKey }) => client.invalidateQueries({ queryKey })))

/** For `onSuccess`: the server's answer replaces the data of the query. */
export const replacing =
  ({ queryKey }: { queryKey: QueryKey }) =>
  (output: unknown, _input: unknown, _before: unknown, { client }: MutationFunctionContext) =>
    client.setQueryData(queryKey, output)
