const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether PostgreSQL accepts the text as a uuid. Check before a query, so that a malformed ID is simply not found. */
export const isUuid = (text: string): boolean => UUID.test(text)
