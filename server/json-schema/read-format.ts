import { fullFormats } from 'ajv-formats/dist/formats.js'

/** A check of one format, with the kind of value that it is for and what a character of text costs in steps. */
export interface Format {
  kind: 'string' | 'number'
  stepsPerCharacter: number
  test: (value: never) => boolean
}

/** A run of the expressions over this much text takes no longer than a step. */
const CHARACTERS_PER_STEP = 16
/** Compiling an expression is slower than running one. */
const STEPS_PER_CHARACTER_OF_REGEX = 4
/** These are divided at each space first. */
const DIVIDED = new Set(['date-time', 'iso-date-time'])

/** With the library's expression, 32 KB of colons take a second. The rest is for the upstream to check. */
const URL_START = /^(?:https?|ftp):\/\/\S+$/i

/** The format of this name; undefined where it is unknown, or checks nothing. */
export function readFormat(name: unknown): Format | undefined {
  if (typeof name !== 'string' || !Object.hasOwn(fullFormats, name)) return undefined
  if (name === 'url') return ofText((text) => URL_START.test(text))
  const given = fullFormats[name as keyof typeof fullFormats]
  if (typeof given === 'boolean') return undefined
  if (given instanceof RegExp) return ofText((text) => given.test(text))
  if (typeof given === 'function') return ofText(given as (text: string) => boolean, name)
  const { type, validate } = given as { type?: string; validate: RegExp | ((value: never) => boolean) }
  if (type === 'number') return { kind: 'number', stepsPerCharacter: 0, test: validate as Format['test'] }
  return ofText(validate instanceof RegExp ? (text) => validate.test(text) : (validate as (text: string) => boolean))
}

const ofText = (test: (text: string) => boolean, name?: string): Format => ({
  kind: 'string',
  stepsPerCharacter:
    name === 'regex' ? STEPS_PER_CHARACTER_OF_REGEX : (DIVIDED.has(name ?? '') ? 4 : 1) / CHARACTERS_PER_STEP,
  test,
})
