// The few statistics that the measurements report. The machine is shared and noisy, so: medians, interleaved.

/** The value below which the given share of the values lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

export const median = values => quantile(values, 0.5)

/**
 * Runs all contenders in turn, round by round, so that a noisy minute hits all of them; a first round warms up and
 * does not count. Each run answers a number or an object of numbers; the answer holds their medians by contender.
 */
export async function interleave(rounds, contenders) {
  const results = Object.fromEntries(Object.keys(contenders).map(name => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const result = await run()
      if (round > 0) results[name].push(result)
    }
  }
  return mapValues(results, mediansOf)
}

function mediansOf(results) {
  if (typeof results[0] === 'number') return median(results)
  return mapValues(results[0], (_, key) => median(results.map(result => result[key])))
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
