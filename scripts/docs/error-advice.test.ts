import { expect, test } from 'vitest'
import { errorCatalogue } from '../../contract/errors.ts'
import { errorAdvice } from './error-advice.ts'

test('every code of the catalogue says why it happens and what to do, and nothing else is advised on', () => {
  expect(Object.keys(errorAdvice).sort()).toEqual(Object.keys(errorCatalogue).sort())
})
