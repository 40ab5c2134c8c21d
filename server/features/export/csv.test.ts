import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test.each([
  [['a', 1, true, null], 'a,1,true,\r\n'],
  [['a,b', 'say "hi"', 'two\nlines'], '"a,b","say ""hi""","two\nlines"\r\n'],
  [['=1+1', '+1', '-1', '@x', -1], "'=1+1,'+1,'-1,'@x,-1\r\n"],
  [[new Date(0), { a: 1 }, ['x', 'y']], '1970-01-01T00:00:00.000Z,"{""a"":1}","[""x"",""y""]"\r\n'],
])('%j', (cells, line) => {
  expect(csvLine(cells)).toBe(line)
})
