import { Link } from '@tanstack/react-router'
import type { Data } from '../../lib/api.ts'
import { type Columns, figure } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'

type Lists = Data<'GET /today/lists'>

/** The tools and the customers with the most calls and credits. */
export const TopTables = ({ lists: { tools, customers } }: { lists: Lists }) => (
  <div className="grid gap-5 xl:grid-cols-2">
    <List
      title="Top tools"
      about="By calls in the last 24 hours. p95: 95 of 100 calls took at most this long in the server, rounded up by at most 25%."
      rows={tools}
      columns={toolColumns}
      csv="top-tools.csv"
      empty={{ title: 'No calls yet', about: 'The tools that customers call appear here.' }}
    />
    <List
      title="Top customers"
      about="By credits charged in the last seven days, including today."
      rows={customers}
      columns={customerColumns}
      csv="top-customers.csv"
      empty={{ title: 'No calls yet', about: 'Customers appear here after their first calls.' }}
    />
  </div>
)

const sums: Columns<Omit<Lists['customers'][number], 'id'>> = [
  figure('Calls', ({ calls }) => calls),
  figure('Failed', ({ failed }) => failed),
  figure('Credits', ({ credits }) => credits),
]
const toolColumns: Columns<Lists['tools'][number]> = [
  { head: 'Tool', look: 'name', value: ({ name }) => name },
  ...sums,
  figure('p95 (ms)', (tool) => tool.p95_ms),
]
const customerColumns: Columns<Lists['customers'][number]> = [
  {
    head: 'Customer',
    look: 'name',
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link to="/customers/$id" params={{ id }} className="block truncate underline-offset-4 hover:underline">
        {name}
      </Link>
    ),
  },
  ...sums,
]
