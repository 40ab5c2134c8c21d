import { Counter as PromCounter, type Histogram as PromHistogram, type Registry } from 'prom-client'

// prom-client checks and hashes the labels of every observation, which would slow metered calls down. Here each set of labels
// has a series, which the caller keeps; an observation only adds a number or two.

/** One series of a counter. */
export interface CounterSeries {
  count: number
}

/** A counter that creates a series once per set of labels. */
export class Counter<L extends string> {
  readonly #name: string
  readonly #help: string
  readonly #labels: L[]
  readonly #series: (CounterSeries & { labels: Record<L, string> })[] = []

  constructor(name: string, help: string, labels: L[]) {
    this.#name = name
    this.#help = help
    this.#labels = labels
  }

  series(labels: Record<L, string>): CounterSeries {
    const series = { labels, count: 0 }
    this.#series.push(series)
    return series
  }

  register(registry: Registry): void {
    const all = this.#series
    new PromCounter({
      name: this.#name,
      help: this.#help,
      labelNames: this.#labels,
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, count } of all) this.inc(labels, count)
      },
    })
  }
}

/** One series of a histogram: how many values fell into each bucket. */
export class HistogramSeries {
  readonly #bounds: readonly number[]
  readonly counts: Float64Array
  sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > this.#bounds[at]!) at++
    this.counts[at]!++
    this.sum += value
  }
}

/** A histogram that creates a series once per set of labels. `bounds`: the upper bounds of the buckets, ascending. */
export class Histogram<L extends string> {
  readonly #name: string
  readonly #help: string
  readonly #bounds: readonly number[]
  readonly #series: { labels: Record<L, string>; series: HistogramSeries }[] = []

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name
    this.#help = help
    this.#bounds = bounds
  }

  series(labels: Record<L, string>): HistogramSeries {
    const series = new HistogramSeries(this.#bounds)
    this.#series.push({ labels, series })
    return series
  }

  register(registry: Registry): void {
    const about = { name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum' }
    const get = async () => ({ ...about, values: this.#series.flatMap((one) => this.#values(one)) })
    // A registry uses nothing else of a metric.
    registry.registerMetric({ ...about, get } as unknown as PromHistogram)
  }

  #values({ labels, series }: { labels: Record<L, string>; series: HistogramSeries }) {
    let count = 0
    const buckets = [...series.counts].map((one, at) => {
      count += one
      const le = at < this.#bounds.length ? this.#bounds[at]! : '+Inf'
      return { metricName: `${this.#name}_bucket`, labels: { le, ...labels }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${this.#name}_sum`, labels, value: series.sum },
      { metricName: `${this.#name}_count`, labels, value: count },
    ]
  }
}
