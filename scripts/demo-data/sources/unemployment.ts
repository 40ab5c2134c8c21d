import { seriesTable } from '../dataset.ts'

interface Month {
  series: string
  year: number
  month: number
  rate: number
}

const industries = [
  'Government',
  'Mining and Extraction',
  'Construction',
  'Manufacturing',
  'Wholesale and Retail Trade',
  'Transportation and Utilities',
  'Information',
  'Finance',
  'Business services',
  'Education and Health',
  'Leisure and hospitality',
  'Other',
  'Agriculture',
  'Self-employed',
]
const column = (industry: string) => industry.toLowerCase().replaceAll(/[ -]/g, '_')

/** US unemployment rate by industry, monthly, 2000 to 2010. */
export const unemployment = seriesTable({
  id: 'us-unemployment',
  name: 'US unemployment rate by industry',
  frequency: 'monthly',
  series: industries.map((industry) => ({
    id: `US.UNEMPLOYMENT.${column(industry).toUpperCase()}`,
    column: column(industry),
    name: `US unemployment rate: ${industry}, not seasonally adjusted`,
    unit: 'Percent',
    aliases: [],
  })),
  sources: [
    { package: 'vega', path: 'data/unemployment-across-industries.json', publisher: 'US Bureau of Labor Statistics' },
  ],
  read([text]) {
    const byDate = new Map<string, Map<string, number>>()
    for (const { series, year, month, rate } of JSON.parse(text!) as Month[]) {
      const date = `${year}-${String(month).padStart(2, '0')}-01`
      byDate.set(date, (byDate.get(date) ?? new Map()).set(series, rate))
    }
    return [...byDate]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, rates]) => [date, ...industries.map((industry) => rates.get(industry) ?? null)])
  },
})
