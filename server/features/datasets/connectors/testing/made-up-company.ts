export type Given = [
  start: string | null,
  end: string,
  val: unknown,
  filing: string,
  form: string,
  filed: string,
  fy?: number,
]

const unit = (cik: number, rows: Given[]) =>
  rows.map(([start, end, val, filing, form, filed, fy]) => ({
    ...(start && { start }),
    end,
    val,
    accn: `00000000${cik}-${filing}`,
    ...(fy !== undefined && { fy, fp: 'FY' }),
    form,
    filed,
    frame: 'CY2020',
  }))

/** A made-up company's facts, as EDGAR answers them. A list alone is in dollars. */
export const company = (
  cik: number,
  tags: Record<string, Given[] | Record<string, Given[]>>,
  taxonomy = 'us-gaap',
) => ({
  cik,
  entityName: `Company ${cik}`,
  facts: {
    [taxonomy]: Object.fromEntries(
      Object.entries(tags).map(([tag, units]) => [
        tag,
        {
          label: null,
          description: null,
          units: Object.fromEntries(
            Object.entries(Array.isArray(units) ? { USD: units } : units).map(([name, rows]) => [
              name,
              unit(cik, rows),
            ]),
          ),
        },
      ]),
    ),
  },
})
