// How many people came today, beside the requests of the last 24 hours. Visitors are counted by days: see docs/stats.md.
import { Link } from 'wouter'
import { call } from '../../api.ts'
import { formatCount } from '../../format.ts'
import { href } from '../../paths.ts'
import { useResource } from '../../resource.ts'
import styles from './visitors.module.css'

const load = async (name: string) => {
  const params = { name }
  const [audience, live] = await Promise.all([
    call('GET /projects/:name/stats/audience', { params, query: { days: '1' } }),
    call('GET /projects/:name/stats', { params, query: { hours: '24' } }),
  ])
  return { visitors: audience.timeline.at(-1)?.visitors ?? 0, requests: live.totals.requests }
}

export function Visitors({ project }: { project: string }) {
  const { data, error } = useResource(`visitors ${project}`, () => load(project))
  if (error) return <span className={styles.quiet}>Not counted</span>
  if (!data)
    return (
      <span className={styles.quiet} data-loading>
        …
      </span>
    )
  return (
    <Link href={href('/projects/:name/analytics', { name: project })} className={styles.link}>
      {formatCount(data.visitors, 'visitor')} today
      <span className={styles.quiet}>{formatCount(data.requests, 'request')} in 24 hours</span>
    </Link>
  )
}
