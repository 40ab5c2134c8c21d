import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatorRole } from '#contract/operator/route.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { call, type Data, sessionQuery } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { useAct } from '../../lib/use-act.ts'

type Operator = Data<'GET /operators'>['operators'][number]

const roles: Record<OperatorRole, string> = {
  owner: 'Everything',
  support: 'Customers: grant and take back credits up to a daily limit, suspend, change rate limits, view as customer',
  finance: 'Money: refund, grant and take back credits up to a daily limit, draft prices, export figures',
  viewer: 'Read-only, without finance',
}

/** The people who run the installation, and their roles. */
export function OperatorsPage() {
  const { data: session } = useQuery(sessionQuery)
  const operators = useQuery({ queryKey: ['operator', 'operators'], queryFn: () => call('GET /operators') })
  const [adding, setAdding] = useState<Partial<Operator> | null>(null)
  const [removing, setRemoving] = useState<Operator | null>(null)
  const isOwner = session?.role === 'owner'
  return (
    <>
      <PageHeader
        title="Operators"
        about="People who run this installation. They sign in with their email address, then open the console."
        action={
          isOwner && (
            <Button look="primary" onClick={() => setAdding({})}>
              Add an operator
            </Button>
          )
        }
      />
      <Card title="All operators" flush={operators.data !== undefined}>
        <QueryState
          query={operators}
          loading="Loading the operators"
          bars={['h-9', 'h-9']}
          failed="The operators could not be loaded."
        />
        {operators.data && (
          <Table
            label="Operators"
            head={
              <>
                <HeadCell>Email</HeadCell>
                <HeadCell>Role</HeadCell>
                <HeadCell>Added (UTC)</HeadCell>
                {isOwner && <HeadCell align="right">Change</HeadCell>}
              </>
            }
          >
            {operators.data.operators.map((operator) => (
              <tr key={operator.id}>
                <Cell>
                  {operator.email}
                  {!operator.entered && <p className="text-small text-muted">Has not opened the console yet</p>}
                </Cell>
                <Cell>
                  {operator.role}
                  <p className="text-small text-muted">{roles[operator.role]}</p>
                </Cell>
                <Cell className="whitespace-nowrap">
                  {utcTime(operator.added_at)}
                  <p className="text-small text-muted">by {operator.added_by}</p>
                </Cell>
                {isOwner && (
                  <Cell align="right">
                    <div className="flex justify-end gap-2">
                      <Button
                        size="small"
                        aria-label={`Change the role of ${operator.email}`}
                        onClick={() => setAdding(operator)}
                      >
                        Role
                      </Button>
                      <Button
                        size="small"
                        aria-label={`Remove ${operator.email}`}
                        onClick={() => setRemoving(operator)}
                      >
                        Remove
                      </Button>
                    </div>
                  </Cell>
                )}
              </tr>
            ))}
          </Table>
        )}
      </Card>
      {adding && <SetDialog given={adding} onClose={() => setAdding(null)} />}
      {removing && <RemoveDialog operator={removing} onClose={() => setRemoving(null)} />}
    </>
  )
}

function SetDialog({ given, onClose }: { given: Partial<Operator>; onClose: () => void }) {
  const act = useAct('POST /operators')
  const [email, setEmail] = useState(given.email ?? '')
  const [role, setRole] = useState<OperatorRole>(given.role ?? 'viewer')
  return (
    <ActDialog
      title={given.email ? 'Change role' : 'Add an operator'}
      about={given.email ?? 'The person signs in here with this address, and then opens the console.'}
      submitLabel="Save"
      busyLabel="Saving"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ email: email.trim(), role, reason }, { onSuccess: onClose })}
    >
      {!given.email && (
        <TextField label="Email" type="email" value={email} onChange={(event) => setEmail(event.target.value)} />
      )}
      <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value as OperatorRole)}>
        {Object.keys(roles).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <p className="text-muted">{roles[role]}</p>
    </ActDialog>
  )
}

function RemoveDialog({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const act = useAct('POST /operators/{id}/remove', { id: operator.id })
  return (
    <ActDialog
      danger
      title="Remove an operator"
      about={`${operator.email} can no longer open the console. Pages that are open stop working.`}
      submitLabel="Remove"
      busyLabel="Removing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ reason }, { onSuccess: onClose })}
    />
  )
}
