import { Control, type FieldProps } from '../../ui/form/field.tsx'

/** A labeled choice of one file. */
export function FileField({
  accept,
  onChoose,
  ...field
}: FieldProps & { accept: string; onChoose: (file: File) => void }) {
  return (
    <Control {...field}>
      {(control) => (
        <input
          {...control}
          type="file"
          accept={accept}
          className="block w-full min-w-0 text-muted file:mr-3 file:h-9 file:cursor-pointer file:rounded-control file:border file:border-line-strong file:bg-surface file:px-3.5 file:font-strong file:text-ink hover:file:bg-hover"
          onChange={(event) => {
            const [file] = event.target.files ?? []
            if (file) onChoose(file)
          }}
        />
      )}
    </Control>
  )
}
