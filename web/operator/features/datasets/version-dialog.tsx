import { useState } from 'react'
import { SelectField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { useAct } from '../../lib/use-act.ts'
import type { Dataset } from './queries.ts'

/** Serves another version that is kept. */
export function VersionDialog({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const act = useAct('POST /datasets/{id}/publish', { id: dataset.id })
  const others = dataset.versions.filter((version) => version !== dataset.version)
  const [version, setVersion] = useState(others[0]!)
  return (
    <ActDialog
      title={`Change the version of ${dataset.name}`}
      about={`Customers get it within two seconds instead of version ${dataset.version}. The price does not change.`}
      submitLabel="Publish"
      busyLabel="Publishing"
      act={act}
      onClose={onClose}
      onSubmit={(reason) => act.mutate({ version, reason }, { onSuccess: onClose })}
    >
      <SelectField label="Version" value={version} onChange={(event) => setVersion(event.target.value)}>
        {others.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </SelectField>
    </ActDialog>
  )
}
