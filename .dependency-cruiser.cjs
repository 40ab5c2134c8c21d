/** Import rules of the tree; docs/architecture.md explains them. */
const tests = '\\.test\\.tsx?$|/testing/'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'contract-imports-only-zod',
      severity: 'error',
      from: { path: '^contract/', pathNot: '\\.test\\.ts$' },
      to: { pathNot: '^(contract/|node_modules/zod/)' },
    },
    {
      name: 'web-imports-no-server',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^(server|sandbox|scripts)/' },
    },
    {
      name: 'web-takes-types-of-contract',
      severity: 'error',
      from: { path: '^web/' },
      // Also rules without zod that both sides follow: of money, and of the console.
      to: {
        path: '^contract/',
        pathNot: '^contract/(mini|(currency|tax-ids|typed-money|operator/(refund-effect|search-term))\\.ts$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'web-has-no-zod', severity: 'error', from: { path: '^web/' }, to: { path: 'node_modules/zod/' } },
    {
      name: 'sandbox-imports-no-server',
      severity: 'error',
      from: { path: '^sandbox/', pathNot: tests },
      to: { path: '^(server|web)/' },
    },
    {
      name: 'only-one-door-to-the-sandbox',
      severity: 'error',
      from: { path: '^(server|web|contract)/', pathNot: `^server/sandbox-peers\\.ts$|${tests}` },
      to: { path: '^sandbox/' },
    },
    {
      name: 'only-three-doors-charge',
      severity: 'error',
      from: {
        path: '^server/',
        // charge-door-call.ts charges calls whose work is done elsewhere: a tool's call would have to wait for it. record-settled.ts
        // charges calls that a payment has paid, in the payment's own transaction.
        pathNot: `^server/features/metering/|^server/features/(tools/(prepare|settle)|meter-door/charge-door-call|agent-payments/record-settled)\\.ts$|${tests}`,
      },
      to: { path: '^server/features/metering/(charging|commit|admit)' },
    },
    {
      name: 'only-the-composition-makes-a-meter',
      severity: 'error',
      from: { path: '^server/', pathNot: `^server/features/metering/|^server/compose\\.ts$|${tests}` },
      to: { path: '^server/features/metering/create-meter' },
    },
    {
      name: 'a-store-belongs-to-its-feature',
      severity: 'error',
      // The operator's verbs work on versions of upstreams and of the shop, as the command line does.
      from: { path: '^server/features/([^/]+)/', pathNot: '^server/features/operator/' },
      to: { path: '^server/features/.+/store\\.ts$', pathNot: '^server/features/$1/' },
    },
    {
      // What the playground is told to connect to can never become a program.
      name: 'only-the-embedded-database-and-workers-start-processes',
      severity: 'error',
      from: { path: '^(server|web|contract)/', pathNot: `^server/(db/embedded(-binaries)?|workers)\\.ts$|${tests}` },
      to: { path: '^(node:)?(child_process|cluster|worker_threads)$|@modelcontextprotocol/.*stdio' },
    },
    {
      name: 'product-imports-no-tests',
      severity: 'error',
      from: { path: '^(server|web|contract|sandbox)/', pathNot: tests },
      to: { path: `${tests}|^e2e/` },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|bench/node_modules)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
}
