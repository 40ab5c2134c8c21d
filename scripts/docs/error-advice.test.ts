import { expect, test } from 'vitest'
import { errorCatalog } from '../../contract/errors.ts'
import { errorAdvice } from './error-advice.ts'

test('every code of the catalog says why it happens and what to do, and nothing else is advised on', () => {
  expect(Object.keys(errorAdvice).sort()).toEqual(Object.keys(errorCatalog).sort())
})
