import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { settings } from '#server/config/config.ts'
import { renderChart } from './testing/render-chart.ts'

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes, whose types would be a package of their own
type Any = any
const helm = spawnSync('helm', ['version']).status === 0
const find = (kind: string, objects: Any[] = renderChart()): Any => objects.find((one) => one.kind === kind)

test('each replica keeps a volume, and pods run as in the image: user 65534, read-only, no capability', () => {
  const { spec } = find('StatefulSet')
  expect(spec.volumeClaimTemplates[0].spec).toEqual({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '5Gi' } },
  })
  const pod = spec.template.spec
  const [container] = pod.containers
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65534, fsGroup: 65534 })
  expect(pod.automountServiceAccountToken).toBe(false)
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.volumeMounts).toEqual([{ name: 'data', mountPath: '/data' }])
  expect(container.env).toContainEqual({ name: 'FINMETER_DATA_DIR', value: '/data' })
})

test('a pod that ends serves until no node sends it requests, and then ends by itself', () => {
  const pod = find('StatefulSet').spec.template.spec
  const [container] = pod.containers
  const { DRAIN_SECONDS, SHUTDOWN_SECONDS } = Object.fromEntries(
    container.env.map(({ name, value }: { name: string; value: string }) => [name, Number(value)]),
  )
  const { periodSeconds, failureThreshold } = container.readinessProbe
  expect(DRAIN_SECONDS).toBeGreaterThan(periodSeconds * failureThreshold)
  // Connections are cut after 60 % of the time.
  expect(SHUTDOWN_SECONDS * 0.6 - DRAIN_SECONDS).toBeGreaterThanOrEqual(10)
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(SHUTDOWN_SECONDS)
  expect(container.lifecycle).toBeUndefined()
})

test('probes ask what the product answers, on the port that it listens on', () => {
  const [container] = find('StatefulSet').spec.template.spec.containers
  expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'http' })
  expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'http' })
  const port = (name: string) => container.ports.find((one: Any) => one.name === name).containerPort
  const env = (name: string) => container.env.find((one: Any) => one.name === name).value
  expect([String(port('http')), String(port('metrics'))]).toEqual([env('PORT'), env('METRICS_PORT')])
})

test('migrations run before the pods, with the same settings and secrets by reference only', () => {
  const objects = renderChart({ settings: { SUPPORT_EMAIL: 'help@acme.dev' } })
  const job = find('Job', objects)
  expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
  const [migrate] = job.spec.template.spec.containers
  const [serve] = find('StatefulSet', objects).spec.template.spec.containers
  expect(migrate.args).toEqual(['build/migrate.js'])
  expect([migrate.env, migrate.envFrom, migrate.image]).toEqual([serve.env, serve.envFrom, serve.image])
  expect(serve.envFrom).toEqual([{ secretRef: { name: 'finmeter' } }])
  expect(serve.env).toContainEqual({ name: 'SUPPORT_EMAIL', value: 'help@acme.dev' })
  expect(serve.env).toContainEqual({ name: 'MIGRATE', value: 'off' })
  expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
  for (const { name } of serve.env) expect(Object.keys(settings)).toContain(name)
})

test('services, policies and the ingress select the pods, and not the job', () => {
  const objects: Any[] = renderChart({ metrics: { port: 9464, serviceMonitor: true } })
  const { labels } = find('StatefulSet', objects).spec.template.metadata
  const selectors = objects.map(({ spec }) => spec.selector ?? spec.podSelector).filter(Boolean)
  expect(selectors).toHaveLength(6)
  for (const selector of selectors) {
    expect(labels).toMatchObject(selector.matchLabels ?? selector)
    expect(find('Job', objects).spec.template.metadata.labels).not.toMatchObject(selector.matchLabels ?? selector)
  }
  expect(find('Ingress', objects).spec.rules[0].host).toBe('api.example.com')
  expect(find('PodDisruptionBudget', objects).spec.maxUnavailable).toBe(1)
  expect(find('NetworkPolicy', objects).spec.egress[0].ports).toContainEqual({ port: 5432, protocol: 'TCP' })
  expect(find('Ingress', renderChart({ ingress: { enabled: false } }))).toBeUndefined()
})

// Without helm, only the test's own rendering is checked.
test.skipIf(!helm)('helm renders the same objects, and its linter agrees', () => {
  const chart = join(import.meta.dirname, 'helm')
  const rendered = spawnSync('helm', ['template', 'finmeter', chart], { encoding: 'utf8' })
  expect([rendered.status, rendered.stderr]).toEqual([0, ''])
  const byName = (objects: Any[]) =>
    objects.sort((a, b) => `${a.kind}${a.metadata.name}`.localeCompare(`${b.kind}${b.metadata.name}`))
  const objects = parseAllDocuments(rendered.stdout)
    .map((one) => one.toJS())
    .filter(Boolean)
  expect(byName(objects)).toEqual(byName(renderChart()))
  expect(spawnSync('helm', ['lint', '--strict', chart]).status).toBe(0)
})
