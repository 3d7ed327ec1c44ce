// An activity log: who did what, when and from where.
import type { AuditEntry } from '@svc/contract'
import { PersonAvatar } from '../../../components/avatar.tsx'
import { Empty } from '../../../components/empty.tsx'
import { Feed, FeedRow } from '../../../components/feed.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { MoreButton } from '../../../components/more-button.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { formatDay } from '../../../format.ts'
import type { PagedList } from '../../../paged-list.ts'
import styles from './audit-log.module.css'
import type { LogOwner } from './lists.ts'
import { Sentence } from './sentence.tsx'

interface AuditLogProps {
  of: LogOwner
  list: PagedList<AuditEntry>
}

export function AuditLog({ of, list }: AuditLogProps) {
  return (
    <Loaded resource={list.use()} rows={6} label="Loading the activity">
      {page => (
        <section aria-label="Activity">
          {page.rows.length === 0 && <Empty>Nothing has been changed here yet.</Empty>}
          {byDay(page.rows).map(({ day, entries }) => (
            <div key={day} className={styles.day}>
              <h2>{day}</h2>
              <Feed>
                {entries.map((entry, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and the log only grows at its ends
                  <Entry key={at} of={of} entry={entry} />
                ))}
              </Feed>
            </div>
          ))}
          <MoreButton list={list} shown={page} />
        </section>
      )}
    </Loaded>
  )
}

/** Consecutive entries of one day, as the reader's calendar has it. */
function byDay(rows: AuditEntry[]): { day: string; entries: AuditEntry[] }[] {
  const days: { day: string; entries: AuditEntry[] }[] = []
  for (const entry of rows) {
    const day = formatDay(entry.at)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

function Entry({ of, entry }: { of: LogOwner; entry: AuditEntry }) {
  const { actor, at, details, ip } = entry
  return (
    <FeedRow
      mark={actor ? <PersonAvatar login={actor} size={28} /> : <span className={styles.nobody} />}
      when={
        <>
          <TimeAgo at={at} />
          {typeof details.token === 'string' && <span>by token {details.token}</span>}
          {ip && <span>from {ip}</span>}
        </>
      }
    >
      <Sentence entry={entry} of={of} />
    </FeedRow>
  )
}
