/** Settings that were removed, each with what replaced it. */
const removed = {
  // Until 0.4.0: the warning is in one release, 0.3.0.
  FORWARD_COMMITS: 'each process commits its own calls',
}

/** A sentence for each variable that is set although its setting was removed. */
export const removedSettings = (env: NodeJS.ProcessEnv): string[] =>
  Object.entries(removed).flatMap(([name, now]) =>
    env[name] ? [`${name} is no longer a setting and is ignored: ${now}. Remove it.`] : [],
  )
