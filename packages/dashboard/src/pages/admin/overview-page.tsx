import type { AdminOverview } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { Link } from 'wouter'
import { Card, Cards } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatCount } from '../../format.ts'
import { href } from '../../paths.ts'
import styles from './admin.module.css'
import { useOverview } from './admin.ts'
import { AdminLayout } from './admin-layout.tsx'
import { Backups } from './backups-card.tsx'
import { CheckList } from './check-list.tsx'
import { DatabaseArchive } from './database-archive-card.tsx'
import { ServiceChecks } from './service-checks.tsx'

const signups: Record<AdminOverview['signups'], string> = {
  open: 'Anyone can create an account.',
  invite: 'Only people with an invitation, to an organization or from an admin, can create an account.',
  closed: 'Only people whom an admin invites, under Users, can create an account.',
}

export function AdminOverviewPage() {
  return (
    <AdminLayout tab="Overview">
      <Loaded resource={useOverview()} rows={6} label="Loading the state of the platform">
        {state => (
          <Cards>
            <Platform state={state} />
            <Checks checks={state.checks} />
            <ServiceChecks />
            <Backups backups={state.backups} />
            <DatabaseArchive archive={state.database_archive} />
            <Disk disk={state.disk} />
            <Memory memory={state.memory} />
            <Queues state={state} />
            <Limits state={state} />
          </Cards>
        )}
      </Loaded>
    </AdminLayout>
  )
}

function Platform({ state }: { state: AdminOverview }) {
  const { version, node_version, database, started_at, accounts } = state
  const engine = database === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  return (
    <Card title="Platform" lead={`${signups[state.signups]} The setting SVCD_SIGNUPS changes this.`}>
      <Facts
        facts={[
          { label: 'Version', value: version },
          { label: 'Node.js', value: node_version },
          { label: 'Database', value: engine },
          { label: 'Started', value: <TimeAgo at={started_at} /> },
          { label: 'Accounts', value: accounts },
        ]}
      />
    </Card>
  )
}

function Checks({ checks }: { checks: AdminOverview['checks'] }) {
  return (
    <Card title="Checks" lead="Run 'svcd doctor' on the server for all checks.">
      <CheckList checks={checks} />
    </Card>
  )
}

function Disk({ disk }: { disk: AdminOverview['disk'] }) {
  const { dir, free_bytes, total_bytes, reserve_bytes, uses } = disk
  return (
    <Card
      title="Disk"
      lead={`Uploads are refused if less than ${formatBytes(reserve_bytes)} are free. The setting SVCD_DISK_RESERVE_MB changes this.`}
    >
      <Facts
        facts={[
          { label: 'Free', value: `${formatBytes(free_bytes)} of ${formatBytes(total_bytes)}` },
          { label: 'Data directory', value: <code>{dir}</code> },
        ]}
      />
      {uses ? (
        <Facts
          facts={uses.map(({ kind, bytes }) => ({ label: capitalized(kind), value: formatBytes(bytes) }))}
        />
      ) : (
        <p className={styles.soft}>The use by kind is being measured. Load the page again in a minute.</p>
      )}
    </Card>
  )
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function Memory({ memory }: { memory: AdminOverview['memory'] }) {
  return (
    <Card title="Memory">
      <Facts
        facts={[
          { label: 'Free', value: `${formatBytes(memory.free_bytes)} of ${formatBytes(memory.total_bytes)}` },
          { label: 'svcd', value: formatBytes(memory.svcd_bytes) },
          {
            label: 'Server apps',
            value: `${formatBytes(memory.apps_bytes)} in ${formatCount(memory.apps, 'instance')}`,
          },
        ]}
      />
    </Card>
  )
}

function Queues({ state: { builds, jobs } }: { state: AdminOverview }) {
  return (
    <Card title="Queues">
      <Facts
        facts={[
          { label: 'Builds waiting', value: builds.queued },
          { label: 'Builds running', value: builds.building },
          { label: 'Builds failed in 24 hours', value: builds.failed_last_day },
          ...(builds.oldest_queued_at
            ? [{ label: 'Oldest waiting build', value: <TimeAgo at={builds.oldest_queued_at} /> }]
            : []),
        ]}
      />
      {jobs.length === 0 ? (
        <p className={styles.soft}>No background jobs.</p>
      ) : (
        <ul className={styles.list}>
          {jobs.map(({ kind, waiting, running, retrying, failed, not_understood, late_since }) => (
            <li key={kind}>
              <b>{kind}</b> {waiting} waiting, {running} running
              {retrying > 0 && `, ${retrying} after a failure`}
              {failed > 0 && `, ${failed} given up`}
              {not_understood > 0 && `, ${not_understood} for a newer version of svcd`}
              {late_since && (
                <>
                  , due <TimeAgo at={late_since} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {jobs.length > 0 && (
        <Link href={href('/admin/jobs')} className={styles.link}>
          Show the jobs one by one
        </Link>
      )}
    </Card>
  )
}

function Limits({ state: { rate_limits, plan_limits } }: { state: AdminOverview }) {
  const groups = [
    ...plan_limits.map(({ plan, limits }) => ({ title: `Plan: ${plan}`, limits })),
    { title: 'Rate limits', limits: rate_limits.map(({ limit }) => limit) },
  ]
  return (
    <Card title="Limits" lead="What an account or org may use, and how often clients may call.">
      {groups.map(({ title, limits }) => (
        <details key={title} className={styles.limits}>
          <summary>
            {title} ({limits.length})
          </summary>
          <ul className={styles.list}>
            {limits.map(limit => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </details>
      ))}
    </Card>
  )
}
