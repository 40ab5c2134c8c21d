import { randomInt } from 'node:crypto'

/** Consonants only, so that no code is a word (RFC 8628, 6.1). 20 to the power of 8 codes. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

export const newUserCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** As people read it: `BCDF-GHJK`. */
export const shownUserCode = (code: string): string => `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`

/** What was typed, without its case, hyphens and spaces. */
export const readUserCode = (typed: string): string => typed.toUpperCase().replaceAll(/[^A-Z]/g, '')
