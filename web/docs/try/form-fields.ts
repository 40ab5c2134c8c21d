import type { FieldKind, FieldPlace, FieldValue } from './build-call.ts'

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** Some stand elsewhere on the page. */
export const controls = (form: HTMLFormElement): Control[] =>
  ([...form.elements] as Control[]).filter(({ dataset }) => dataset.place && dataset.kind)

/** The fields as they are filled now. */
export const readFields = (form: HTMLFormElement): FieldValue[] =>
  controls(form).map(({ name, value, dataset }) => ({
    name,
    value,
    place: dataset.place as FieldPlace,
    kind: dataset.kind as FieldKind,
  }))

/** Fills the fields; a value that a field does not accept leaves it empty. */
export function showValues(form: HTMLFormElement, values: Map<string, string>): void {
  for (const control of controls(form)) {
    if (control.type === 'hidden') continue
    control.value = values.get(control.name) ?? ''
    if (control instanceof HTMLSelectElement && control.selectedIndex === -1) control.selectedIndex = 0
  }
}
