import { z } from 'zod'
import { apiKey, keyChange, keyRotation, newKey } from './keys.ts'
import { route } from './route.ts'

const id = z.object({ id: z.string() })

/** Operations on API keys. */
export const keyRoutes = {
  listKeys: route({
    method: 'GET',
    path: '/api/keys',
    auth: 'session',
    summary: 'The API keys of the workspace, oldest first',
    scope: 'account:read',
    status: 200,
    data: z.object({ apiKeys: z.array(apiKey) }),
    errors: [],
  }),
  createKey: route({
    method: 'POST',
    path: '/api/keys',
    auth: 'session',
    summary: 'Creates an API key',
    scope: 'keys:write',
    body: newKey,
    status: 201,
    data: z.object({ apiKey }),
    errors: ['invalid_parameter', 'forbidden', 'account_suspended', 'conflict'],
  }),
  getKey: route({
    method: 'GET',
    path: '/api/keys/{id}',
    auth: 'session',
    summary: 'One API key',
    params: id,
    status: 200,
    data: z.object({ apiKey }),
    errors: ['not_found'],
  }),
  updateKey: route({
    method: 'PUT',
    path: '/api/keys/{id}',
    auth: 'session',
    summary: 'Changes the name or the limits of an API key; omitted fields stay unchanged',
    params: id,
    body: keyChange,
    status: 200,
    data: z.object({ apiKey }),
    errors: ['invalid_parameter', 'forbidden', 'not_found'],
  }),
  rotateKey: route({
    method: 'POST',
    path: '/api/keys/{id}/rotate',
    auth: 'session',
    summary: 'Gives an API key a new value; the old one works until its grace period ends',
    params: id,
    body: keyRotation,
    status: 200,
    data: z.object({ apiKey }),
    errors: ['invalid_parameter', 'forbidden', 'account_suspended', 'not_found', 'conflict'],
  }),
  deleteKey: route({
    method: 'DELETE',
    path: '/api/keys/{id}',
    auth: 'session',
    summary: 'Deletes an API key: it is refused everywhere at once',
    scope: 'keys:write',
    params: id,
    status: 200,
    data: z.object({ id: z.uuid(), deleted: z.literal(true) }),
    errors: ['forbidden', 'not_found'],
  }),
} as const
