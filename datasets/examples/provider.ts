/** A provider: rows as plain objects, the same on every run, stopping when the signal is aborted. */
export default {
  async *rows({ signal }: { signal: AbortSignal }): AsyncGenerator<{ date: string; value: number }> {
    for (let month = 1; month <= 12; month++) {
      if (signal.aborted) return
      yield { date: `2024-${String(month).padStart(2, '0')}-01`, value: 100 + month }
    }
  },
}
