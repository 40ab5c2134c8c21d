import { createHash, randomBytes } from 'node:crypto'

const PREFIX = 'fmv_'

/** A view of a customer's dashboard lasts this long, and is never renewed. */
export const VIEW_MINUTES = 15

export const newViewToken = (): string => PREFIX + randomBytes(32).toString('base64url')

export const isViewToken = (presented: string): boolean => presented.startsWith(PREFIX)

/** Only this is stored. */
export const hashOfView = (token: string): Buffer => createHash('sha256').update(token).digest()
