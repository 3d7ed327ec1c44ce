// The models that were used, the most expensive first.
import { formatMicroCents } from '../../format.ts'
import { fullLabel } from '../stats/scale.ts'
import styles from './models.module.css'
import type { byModel } from './sums.ts'

export function Models({ models }: { models: ReturnType<typeof byModel> }) {
  const unpriced = models.some(model => model.unpriced > 0)
  const uncounted = models.some(model => model.uncounted > 0)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: on narrow screens the table scrolls, with the keyboard too
    <section className={styles.models} aria-label="Models" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Requests</th>
            <th scope="col">Prompt tokens</th>
            <th scope="col">Completion tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {models.map(model => (
            <tr key={model.model}>
              <th scope="row">{model.model}</th>
              <td>{fullLabel(model.requests, 'count')}</td>
              <td>{fullLabel(model.prompt_tokens, 'count')}</td>
              <td>{fullLabel(model.completion_tokens, 'count')}</td>
              <td>
                {model.unpriced === model.requests ? 'No price' : formatMicroCents(model.cost_micro_cents)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {unpriced && (
        <p>The price list of this platform does not know some of these models; they cost nothing here.</p>
      )}
      {uncounted && (
        <p>For some answers the AI provider counted no tokens, or they were left before their end.</p>
      )}
    </section>
  )
}
