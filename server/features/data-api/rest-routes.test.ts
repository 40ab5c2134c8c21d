import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Deps } from '../../deps.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/harness.ts'
import type { Tool } from '../tools/define-tool.ts'
import { createToolRegistry } from '../tools/registry.ts'
import { json, operation } from '../tools/testing/body-tools.ts'
import { createRestRoutes } from './rest-routes.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createTestDatabase()
})
afterAll(() => own?.drop())

const properties = { id: { type: 'string' } }
/** A tool of ours, as a later release may bring it. */
const ours = (name: string, path: string): Tool => ({
  ...operation(name, () => json({}), { properties }),
  name,
  upstream: undefined,
  rest: { method: 'GET', path },
})

test("below its id only an upstream's operations are found, whatever routes of ours come or came", async () => {
  const tools = await createToolRegistry([ours('late', '/v1/acme/{id}'), ours('own', '/v1/own/{id}')], own.db)
  const find = createRestRoutes({ tools } as unknown as Deps)
  const pathAt = (method: string, path: string) => {
    const found = find(method, path.split('/'))
    return found && ('allowed' in found ? found.allowed : found.value.path)
  }
  expect(pathAt('GET', '/v1/acme/get')).toBe('/v1/acme/{id}')
  await tools.replace('upstreams', [
    operation('get', () => json({})),
    operation('own', () => json({}), { method: 'POST' }),
  ])
  expect(pathAt('GET', '/v1/acme/get')).toBe('/v1/acme/get')
  expect(pathAt('GET', '/v1/acme/other')).toBeNull()
  expect(pathAt('GET', '/v1/acme/own')).toEqual(['POST'])
  expect(pathAt('GET', '/v1/own/get')).toBe('/v1/own/{id}')
  await tools.replace('upstreams', [])
  expect(pathAt('GET', '/v1/acme/get')).toBe('/v1/acme/{id}')
})
