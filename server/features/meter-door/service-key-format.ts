import { checkedSecret, isCheckedSecret } from '../keys/key-format.ts'

const PREFIX = 'fms_'
const START_CHARACTERS = 9

/** A new service key: `fms_`, then as an API key. */
export const newServiceKey = (): string => PREFIX + checkedSecret()

/** Whether the text can be a service key. Needs no lookup, so junk never reaches the database. */
export const isWellFormedServiceKey = (text: string): boolean =>
  text.startsWith(PREFIX) && isCheckedSecret(text.slice(PREFIX.length))

/** The displayable prefix that tells keys apart. */
export const startOfServiceKey = (key: string): string => key.slice(0, START_CHARACTERS)
