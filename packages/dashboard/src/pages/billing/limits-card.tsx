// What an account or an org uses, and what it may use. Where the platform has billing, the page of the plan says it.
import type { OwnerLimits } from '@svc/contract'
import { call } from '../../api.ts'
import { Card } from '../../components/card.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Meter } from '../../components/meter.tsx'
import { config } from '../../config.ts'
import { useResource } from '../../resource.ts'
import { amounts, formatAmount } from './amounts.ts'
import styles from './usage.module.css'

/** Without `org`, those of the account. */
export const LimitsCard = (of: { org?: string }) => (config().billing === 'off' ? <Limits {...of} /> : null)

function Limits({ org }: { org?: string }) {
  const load = () =>
    org === undefined ? call('GET /me/limits') : call('GET /orgs/:name/limits', { params: { name: org } })
  const resource = useResource(`limits of ${org ?? ''}`, load)
  return (
    <Card title="Usage" lead="Amounts of a month count from its first day (UTC).">
      <Loaded resource={resource} rows={3} label="Loading what is used">
        {({ limits }) => (
          <ul className={styles.amounts}>
            {limits.map(limit => (
              <Limit key={limit.name} limit={limit} />
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  )
}

function Limit({ limit: { name, used, allowed } }: { limit: OwnerLimits['limits'][number] }) {
  const { title, unit } = amounts.find(({ key }) => key === name) ?? { title: name, unit: 'count' }
  return (
    <li>
      <Meter title={title} used={used} allowed={allowed} format={it => formatAmount(it, unit)} />
    </li>
  )
}
