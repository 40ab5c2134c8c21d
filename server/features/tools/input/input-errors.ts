import { AppError } from '../../../http/errors.ts'
import { nearestNames } from './nearest-names.ts'

/** The refusals of inputs, the same whatever describes the input. */
export function unknownInput(param: string, names: readonly string[]): AppError {
  const allowed = names.length > 0 ? `Known parameters: ${names.join(', ')}.` : 'This call takes no parameters.'
  return new AppError('invalid_parameter', `Unknown parameter "${clip(param)}". ${allowed}`, {
    param: clip(param),
    allowed: names,
    ...nearest(param, names),
  })
}

export const inputShapeError = (names: readonly string[]): AppError =>
  new AppError('invalid_parameter', `The input must be an object with the parameters: ${names.join(', ')}.`)

export const missingInput = (param: string): AppError =>
  new AppError('invalid_parameter', `${param} is required.`, { param })

export const notAllowed = (param: string, allowed: string[], given: unknown): AppError =>
  new AppError('invalid_parameter', `${param} must be one of: ${allowed.join(', ')}.`, {
    param,
    allowed,
    ...nearest(given, allowed),
  })

/** `problem` continues the name when it begins with "must ". */
export const invalidValue = (param: string, problem: string): AppError =>
  new AppError('invalid_parameter', `${param}${problem.startsWith('must ') ? ' ' : ': '}${problem}.`, { param })

const MOST_SUGGESTIONS = 3
/** Below this length, every short word would match. */
const LEAST_LETTERS = 3

/** A suggestion, as part of an error's detail. */
export function nearest(given: unknown, allowed: readonly string[]): { suggestions?: string[] } {
  const isWord = typeof given === 'string' && given.length >= LEAST_LETTERS
  const suggestions = isWord ? nearestNames(given, allowed).slice(0, MOST_SUGGESTIONS) : []
  return suggestions.length > 0 ? { suggestions } : {}
}

const MAX_ECHO_LENGTH = 60

/** A caller's input is quoted only in part. */
export const clip = (text: string): string =>
  text.length > MAX_ECHO_LENGTH ? `${text.slice(0, MAX_ECHO_LENGTH)}…` : text
