/**
 * npm run northwind: a shop that sells an own API under its own name, made in an empty folder. It writes what an operator would write
 * (shop.yaml, a logo, legal pages, an OpenAPI document), answers for the API, starts Finmeter, and runs the two commands that name the
 * shop and sell the API. The weather is invented.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { folder: { type: 'string', default: 'northwind' }, port: { type: 'string', default: '3000' } },
})
const folder = resolve(values.folder)
const root = join(import.meta.dirname, '..')
const env = {
  ...process.env,
  FINMETER_DATA_DIR: join(folder, 'data'),
  PORT: values.port,
  MAIL_FROM: 'Northwind Weather <mail@northwind.example>',
}

const files = {
  'shop.yaml': `name: Northwind Weather
promise: Forecasts by the call.
accent: "#a03a00"
logo: logo.svg
logo_dark: logo-dark.svg
support: help@northwind.example
key_prefix: nw_
builtins: off
powered_by: off
pages: { terms: terms.md, privacy: privacy.md, imprint: imprint.md }
`,
  'logo.svg': logo('#a03a00', '#ffffff'),
  'logo-dark.svg': logo('#f7a072', '#0b0d10'),
  'terms.md': '# Terms of service\n\nNorthwind Weather sells forecasts by the call. Credits do not expire.\n',
  'privacy.md': '# Privacy\n\nWe keep your email address and what your calls cost.\n',
  'imprint.md': '# Imprint\n\nNorthwind Weather Ltd., 1 Harbor Street, Reykjavik\n',
}

function logo(disk: string, wind: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><circle cx="12" cy="12" r="12" fill="${disk}"/><path d="M5 10h9a2.5 2.5 0 1 0-2.5-2.5M5 14h12a2.5 2.5 0 1 1-2.5 2.5" fill="none" stroke="${wind}" stroke-width="2" stroke-linecap="round"/></svg>\n`
}

// The API.

interface Place {
  id: string
  name: string
  latitude: number
  longitude: number
}
const places: Place[] = [
  { id: 'bergen', name: 'Bergen', latitude: 60.39, longitude: 5.32 },
  { id: 'lisbon', name: 'Lisbon', latitude: 38.72, longitude: -9.14 },
  { id: 'reykjavik', name: 'Reykjavik', latitude: 64.15, longitude: -21.94 },
  { id: 'sydney', name: 'Sydney', latitude: -33.87, longitude: 151.21 },
]
const HOUR = 3_600_000
const DAY = 24 * HOUR
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const round = (value: number): number => Math.round(value * 10) / 10
/** The same number below 1 for the same place and time. */
const chance = (place: Place, at: number): number =>
  Math.abs(Math.sin(place.latitude * 12.9898 + (at / HOUR) * 78.233) * 43_758.5) % 1

/** Colder towards the poles, in winter, and at night. */
function temperature(place: Place, at: number): number {
  const season = Math.cos(((at % (365.25 * DAY)) / (365.25 * DAY)) * 2 * Math.PI) * Math.sign(place.latitude)
  const hour = Math.cos((((at / HOUR + place.longitude / 15) % 24) / 24) * 2 * Math.PI)
  return round(
    27 - Math.abs(place.latitude) / 3 - 8 * season - 4 * hour + 5 * chance(place, Math.floor(at / DAY) * DAY),
  )
}

const dayOf = (place: Place, at: number) => ({
  date: dateOf(at),
  high_celsius: round(temperature(place, at + (14 - place.longitude / 15) * HOUR)),
  low_celsius: round(temperature(place, at + (2 - place.longitude / 15) * HOUR)),
  rain_mm: round(Math.max(0, chance(place, at) * 12 - 6)),
})
const daysOf = (place: Place, from: number, count: number) =>
  Array.from({ length: count }, (_, day) => dayOf(place, from + day * DAY))
const hourOf = (place: Place, at: number) => ({
  time: new Date(at).toISOString(),
  temperature_celsius: temperature(place, at),
  wind_kmh: round(6 + chance(place, at) * 30),
})

interface Operation {
  path: string
  id: string
  summary: string
  description: string
  query?: Record<string, object>
  answer: (place: Place, query: URLSearchParams, today: number) => object
}
const whole = (value: string | null, other: number): number => Number(value ?? other)
const operations: Operation[] = [
  {
    path: '/places',
    id: 'listPlaces',
    summary: 'List places',
    description: 'The places that have forecasts.',
    answer: () => ({ places }),
  },
  {
    path: '/places/{place}',
    id: 'getPlace',
    summary: 'Get a place',
    description: 'Name, latitude and longitude of a place.',
    answer: (place) => place,
  },
  {
    path: '/places/{place}/now',
    id: 'getCurrentWeather',
    summary: 'Current weather',
    description: 'Temperature and wind this hour.',
    answer: (place) => ({ place: place.id, ...hourOf(place, Math.floor(Date.now() / HOUR) * HOUR) }),
  },
  {
    path: '/places/{place}/forecast',
    id: 'getForecast',
    summary: 'Daily forecast',
    description: 'High, low and rain for up to 14 days.',
    query: { days: { type: 'integer', minimum: 1, maximum: 14, default: 7, example: 7 } },
    answer: (place, query, today) => ({ place: place.id, days: daysOf(place, today, whole(query.get('days'), 7)) }),
  },
  {
    path: '/places/{place}/hours',
    id: 'getHourlyForecast',
    summary: 'Hourly forecast',
    description: 'Temperature and wind for up to 48 hours.',
    query: { hours: { type: 'integer', minimum: 1, maximum: 48, default: 24, example: 24 } },
    answer: (place, query) => {
      const from = Math.ceil(Date.now() / HOUR) * HOUR
      const hours = Array.from({ length: whole(query.get('hours'), 24) }, (_, hour) =>
        hourOf(place, from + hour * HOUR),
      )
      return { place: place.id, hours }
    },
  },
  {
    path: '/places/{place}/history',
    id: 'getHistory',
    summary: 'Past weather',
    description: 'High, low and rain for up to 365 past days.',
    query: { days: { type: 'integer', minimum: 1, maximum: 365, default: 30, example: 30 } },
    answer: (place, query, today) => {
      const count = whole(query.get('days'), 30)
      return { place: place.id, days: daysOf(place, today - count * DAY, count) }
    },
  },
  {
    path: '/places/{place}/rain',
    id: 'getRainOutlook',
    summary: 'Chance of rain',
    description: 'Chance of rain for each of the next seven days.',
    answer: (place, _, today) => ({
      place: place.id,
      days: daysOf(place, today, 7).map(({ date, rain_mm }) => ({
        date,
        chance_percent: Math.min(100, Math.round(rain_mm * 15)),
      })),
    }),
  },
  {
    path: '/places/{place}/frost',
    id: 'getFrostOutlook',
    summary: 'Frost nights',
    description: 'Nights below freezing in the next 14 days.',
    answer: (place, _, today) => ({
      place: place.id,
      nights: daysOf(place, today, 14)
        .filter((day) => day.low_celsius < 0)
        .map(({ date, low_celsius }) => ({ date, low_celsius })),
    }),
  },
]

const document = {
  openapi: '3.1.0',
  info: { title: 'Northwind Weather', version: '1' },
  paths: Object.fromEntries(
    operations.map(({ path, id, summary, description, query = {}, answer }) => [
      path,
      {
        get: {
          operationId: id,
          summary,
          description,
          parameters: [
            ...(path.includes('{place}')
              ? [
                  {
                    name: 'place',
                    in: 'path',
                    required: true,
                    schema: { type: 'string', enum: places.map((place) => place.id), example: 'bergen' },
                  },
                ]
              : []),
            ...Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema })),
          ],
          responses: {
            200: {
              description,
              content: {
                'application/json': {
                  schema: { type: 'object' },
                  example: answer(places[0]!, new URLSearchParams({ days: '7', hours: '12' }), Date.UTC(2026, 7, 3)),
                },
              },
            },
          },
        },
      },
    ]),
  ),
}

const api = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api.invalid')
  const [, , id, part] = pathname.split('/')
  const wanted = `/places${id === undefined ? '' : '/{place}'}${part === undefined ? '' : `/${part}`}`
  const operation = operations.find(({ path }) => path === wanted)
  const place = id === undefined ? places[0] : places.find((one) => one.id === id)
  const found = operation && place
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify(
      found
        ? operation.answer(place, searchParams, Math.floor(Date.now() / DAY) * DAY)
        : { error: 'There is no such place.' },
    ),
  )
})

// The shop.

await mkdir(folder, { recursive: true })
if ((await readdir(folder)).length > 0) {
  console.error(`${folder} is not empty. Remove it, or name another with --folder.`)
  process.exit(1)
}
for (const [name, content] of Object.entries({ ...files, 'openapi.json': JSON.stringify(document, null, 2) }))
  await writeFile(join(folder, name), content)
await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))

const server = spawn(process.execPath, [join(root, 'scripts/start.ts')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
const ended = new Promise<number>((done) => server.once('exit', (code) => done(code ?? 1)))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal))

await Promise.race([said(server, /^Finmeter ready at /m), ended])
if (server.exitCode === null) {
  const base = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
  await run('shop.ts', 'apply', join(folder, 'shop.yaml'))
  await run('upstream.ts', 'add', join(folder, 'openapi.json'), '--id', 'weather', '--base', base, '--price', '1')
  console.log(`Northwind Weather is open at http://localhost:${values.port}. Its files are in ${folder}.`)
}
process.exitCode = await ended
api.close()
api.closeAllConnections()

/** Resolves when the process has printed this. */
function said({ stdout }: ChildProcess, what: RegExp): Promise<void> {
  let text = ''
  return new Promise((done) =>
    stdout!.on('data', (chunk: Buffer) => {
      text += chunk
      if (what.test(text)) done()
    }),
  )
}

/** A command of the operator, with its output. */
async function run(command: string, ...words: string[]): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'server/cli', command), ...words], { env, stdio: 'inherit' })
  const code = await new Promise((done) => child.once('exit', done))
  if (code !== 0) {
    server.kill()
    throw new Error(`${command} ${words[0]} ended with ${code}.`)
  }
}
