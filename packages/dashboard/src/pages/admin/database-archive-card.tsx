// The archive of the projects' databases: until when it reaches, and why it fails.
import type { AdminOverview } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'

/** A server before this version does not send it. */
export function DatabaseArchive({ archive }: { archive: AdminOverview['database_archive'] | undefined }) {
  if (!archive) return null
  const { folder, archived_at, copied_at, waiting_bytes, failures, failing_since, error } = archive
  return (
    <Card title="Archive of databases" lead="A database comes back as of any second with 'svcd db restore'.">
      <Facts
        facts={[
          {
            label: 'Has everything until',
            value: archived_at ? <TimeAgo at={archived_at} /> : 'Nothing yet',
          },
          {
            label: 'Last copy of all databases',
            value: copied_at ? <TimeAgo at={copied_at} /> : 'None yet',
          },
          ...(failing_since
            ? [
                { label: 'Failing since', value: <TimeAgo at={failing_since} /> },
                {
                  label: failures === 1 ? 'Error' : `Error of ${failures} attempts`,
                  value: error,
                  isLong: true as const,
                },
              ]
            : []),
          ...(waiting_bytes > 0 ? [{ label: 'Waiting', value: formatBytes(waiting_bytes) }] : []),
          { label: 'Folder', value: <code>{folder}</code>, isLong: true as const },
        ]}
      />
    </Card>
  )
}
