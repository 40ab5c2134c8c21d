/** The schema with the metering tables of bucket `id`: m00, m01, ... */
export const bucketSchema = (id: number): string => `m${String(id).padStart(2, '0')}`

/** The search path of sessions that use bucket `id`. Whatever is not in the bucket is in public. */
export const searchPathOf = (id: number): string => `${bucketSchema(id)}, public`
