import { expect, test } from 'vitest'
import { requestLine } from './endpoints.ts'

test('an operation maps to its method and path', () => {
  expect(requestLine('listKeys')).toEqual(['GET', '/api/keys'])
  expect(requestLine('setPreferences')).toEqual(['PUT', '/api/billing/preferences'])
})

test('path parameters are encoded, so that none escapes its segment', () => {
  expect(requestLine('callPlaygroundTool', { server: 'my server', tool: '../../keys?x=1' })).toEqual([
    'POST',
    '/api/playground/servers/my%20server/tools/..%2F..%2Fkeys%3Fx%3D1/call',
  ])
})
