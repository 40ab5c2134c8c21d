import { expect, test } from 'vitest'
import { createLimits } from './limits.ts'

test('a place is free again when its request ends, and only once', async () => {
  const limits = createLimits({ REDIS_URL: undefined, AUTH_RATE_LIMITS: 'on', AUTH_MAILS_PER_HOUR: 100 })
  const enter = () => limits.enter('downloads', 'somebody')
  for (let round = 0; round < 3; round++) {
    const [one, two] = [enter(), enter()]
    expect(enter).toThrow('Too many downloads at the same time: at most 2.')
    one()
    one()
    const again = enter()
    expect(enter).toThrow('at most 2')
    again()
    two()
  }
  await limits.close()
})
