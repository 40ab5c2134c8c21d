import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatorRole } from '#contract/operator/route.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { type Data, sessionQuery } from '../../lib/api.ts'
import { utcTime } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { useRole } from '../../lib/use-role.ts'
import { useText } from '../../lib/use-text.ts'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { type Columns, col, Two } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'

type Operator = Data<'GET /operators'>['operators'][number]

const roles: Record<OperatorRole, string> = {
  owner: 'Everything',
  support: 'Customers: grant and take back credits up to a daily limit, suspend, change rate limits, view as customer',
  finance: 'Money: refund, grant and take back credits up to a daily limit, draft prices, export figures',
  viewer: 'Read-only, without finance',
}

/** The people who run the installation, and their roles. */
export function OperatorsPage() {
  const operators = useRead('GET /operators')
  const [setting, setSetting] = useState<Partial<Operator> | null>(null)
  const [removing, setRemoving] = useState<Operator | null>(null)
  const [trusting, setTrusting] = useState<Operator | null>(null)
  const own = useQuery(sessionQuery).data?.email
  const isOwner = useRole('owner')
  return (
    <>
      <PageHeader
        title="Operators"
        about="People who run this installation. They sign in with their email address, then open the console."
        action={
          isOwner && (
            <Button look="primary" onClick={() => setSetting({})}>
              Add an operator
            </Button>
          )
        }
      />
      <List
        title="All operators"
        label="Operators"
        query={operators}
        what="operators"
        rows={operators.data?.operators ?? []}
        columns={columnsOf(isOwner, own, { role: setSetting, remove: setRemoving, trust: setTrusting })}
        empty={{ title: 'No operators', about: 'The first owner is added on the command line: npm run admin.' }}
      />
      {setting && <SetDialog given={setting} onClose={() => setSetting(null)} />}
      {trusting && (
        <ActDialog
          line="POST /operators/{id}/trust-factor"
          params={{ id: trusting.id }}
          title="Trust a new second factor"
          about={`The second factor of ${trusting.email} counts at once, and so does one that they add within a day. Make sure that it is them: call them, or meet them.`}
          submit="Trust"
          busy="Saving"
          onClose={() => setTrusting(null)}
        />
      )}
      {removing && (
        <ActDialog
          line="POST /operators/{id}/remove"
          params={{ id: removing.id }}
          danger
          title="Remove an operator"
          about={`${removing.email} can no longer open the console. Pages that are open stop working.`}
          submit="Remove"
          busy="Removing"
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  )
}

const columnsOf = (
  isOwner: boolean,
  own: string | undefined,
  on: Record<'role' | 'remove' | 'trust', (operator: Operator) => void>,
): Columns<Operator> => [
  col('Email', ({ email, entered }) => <Two main={email} below={!entered && 'Has not opened the console yet'} />),
  col('Role', ({ role }) => <Two main={role} below={roles[role]} />),
  col('Added (UTC)', 'line', (one) => <Two main={utcTime(one.added_at)} below={`by ${one.added_by}`} />),
  isOwner &&
    col('Change', (operator) => (
      <div className="flex flex-wrap gap-2">
        <Button size="small" aria-label={`Change the role of ${operator.email}`} onClick={() => on.role(operator)}>
          Role
        </Button>
        {operator.email !== own && (
          <Button
            size="small"
            aria-label={`Trust the new second factor of ${operator.email}`}
            onClick={() => on.trust(operator)}
          >
            Trust factor
          </Button>
        )}
        <Button size="small" aria-label={`Remove ${operator.email}`} onClick={() => on.remove(operator)}>
          Remove
        </Button>
      </div>
    )),
]

function SetDialog({ given, onClose }: { given: Partial<Operator>; onClose: () => void }) {
  const email = useText(given.email)
  const [role, setRole] = useState<OperatorRole>(given.role ?? 'viewer')
  return (
    <ActDialog
      line="POST /operators"
      title={given.email ? 'Change role' : 'Add an operator'}
      about={
        given.email ??
        'They get an email with a link that opens the console the first time. After that, signing in with this address is enough.'
      }
      submit="Save"
      input={() => ({ email: email.value.trim(), role })}
      onClose={onClose}
    >
      {!given.email && <TextField label="Email" type="email" {...email.field} />}
      <ChoiceField
        label="Role"
        value={role}
        options={Object.fromEntries(Object.keys(roles).map((name) => [name, name]))}
        onChange={setRole}
      />
      <p className="text-muted">{roles[role]}</p>
    </ActDialog>
  )
}
