const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether PostgreSQL will take the text as a uuid; ask before a query, since a malformed id is only a missing thing. */
export const isUuid = (text: string): boolean => UUID.test(text)
