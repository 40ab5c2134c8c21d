import { join } from 'node:path'
import { parseCrontab } from 'graphile-worker'
import { beforeEach, expect, test } from 'vitest'
import { startSandboxSources } from '#sandbox/sources/start-sources.ts'
import { temporaryFolder } from '../../../testing/temporary-folder.ts'
import { versionStore } from '../version-store.ts'
import { changeSchedule, fetchScheduled, readSchedule } from './schedule.ts'
import { fetchCrontab } from './schedule-crontab.ts'

let directory: string
beforeEach(async () => {
  directory = temporaryFolder()
})

test('the crontab has each connector once, all in one queue', () => {
  const items = parseCrontab(fetchCrontab)
  expect(items.map(({ identifier }) => identifier)).toEqual([
    'fetch_alphavantage',
    'fetch_bls',
    'fetch_ecb',
    'fetch_eodhd',
    'fetch_massive',
    'fetch_sec',
    'fetch_tiingo',
    'fetch_treasury',
    'fetch_twelvedata',
    'fetch_worldbank',
  ])
  for (const { task, options, payload, identifier } of items) {
    expect(task).toBe('fetch_data')
    expect(options).toMatchObject({ queueName: 'data', jobKey: identifier })
    expect(`fetch_${(payload as { connector: string }).connector}`).toBe(identifier)
  }
})

test('a connector runs once it is scheduled, and not after it was taken off', async () => {
  const config = { FINMETER_DATA_DIR: directory }
  const root = join(directory, 'connectors')
  expect(await fetchScheduled(config, 'ecb', await startSandboxSources())).toBeNull()
  await changeSchedule(config, 'ecb', true, null)
  expect(await fetchScheduled(config, 'ecb', await startSandboxSources())).toMatchObject({ outcome: 'published' })
  expect(await versionStore(join(directory, 'datasets')).current('ecb-reference-rates')).not.toBeNull()
  await changeSchedule(config, 'ecb', false, null)
  expect(await readSchedule(root)).toEqual({})
  expect(await fetchScheduled(config, 'ecb', await startSandboxSources())).toBeNull()
})

test('a run that publishes nothing fails, with the reason', async () => {
  await changeSchedule({ FINMETER_DATA_DIR: directory }, 'bls', true, null)
  const sources = await startSandboxSources({
    interfere: (_, answer) => ({ ...answer, body: '{"status":"REQUEST_NOT_PROCESSED","message":["too many today"]}' }),
  })
  await expect(fetchScheduled({ FINMETER_DATA_DIR: directory }, 'bls', sources)).rejects.toThrow('too many today')
})

test('connectors that are scheduled at once are all scheduled', async () => {
  const config = { FINMETER_DATA_DIR: directory }
  const names = ['bls', 'ecb', 'treasury', 'worldbank']
  await Promise.all(names.map((name) => changeSchedule(config, name, true, null)))
  expect(Object.keys(await readSchedule(join(directory, 'connectors'))).sort()).toEqual(names)
  await Promise.all(names.map((name) => changeSchedule(config, name, false, null)))
  expect(await readSchedule(join(directory, 'connectors'))).toEqual({})
})

test('a source that asks for a contact is not scheduled without one', async () => {
  const config = { FINMETER_DATA_DIR: directory }
  const root = join(directory, 'connectors')
  await expect(changeSchedule(config, 'sec', true, null)).rejects.toThrow('--contact you@example.com')
  await expect(changeSchedule(config, 'nothing', true, null)).rejects.toThrow(
    'There is no connector nothing. Available: alphavantage, bls, ecb, eodhd, massive, sec, tiingo, treasury, twelvedata, worldbank.',
  )
  await changeSchedule(config, 'sec', true, 'you@example.com')
  expect(await readSchedule(root)).toEqual({ sec: { contact: 'you@example.com' } })
})

test.each([
  ['alphavantage', 'ALPHAVANTAGE_API_KEY', 'Daily prices from Alpha Vantage'],
  ['eodhd', 'EODHD_API_KEY', 'Daily prices from EODHD'],
  ['massive', 'MASSIVE_API_KEY', 'Daily prices from Massive'],
  ['tiingo', 'TIINGO_API_KEY', 'Daily prices from Tiingo'],
  ['twelvedata', 'TWELVEDATA_API_KEY', 'Daily prices from Twelve Data'],
])('%s is not scheduled without %s, and can still be taken off', async (name, setting, title) => {
  const config = { FINMETER_DATA_DIR: directory }
  const root = join(directory, 'connectors')
  await expect(changeSchedule(config, name, true, null)).rejects.toThrow(`Set ${setting} to your key of ${title}.`)
  expect(await readSchedule(root)).toEqual({})
  await changeSchedule({ ...config, [setting]: 'a-key' }, name, true, null)
  expect(await readSchedule(root)).toEqual({ [name]: { contact: null } })
  await changeSchedule(config, name, false, null)
  expect(await readSchedule(root)).toEqual({})
})
