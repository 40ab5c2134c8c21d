/** What a record says of a name that others chose: `constructor` is in every record, too. */
export const ownOf = <T>(record: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined
