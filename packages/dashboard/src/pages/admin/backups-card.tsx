// The backups that run by themselves: how old the last good one is, and why the last one failed.
import type { AdminOverview } from '@svc/contract'
import { formatBytes } from '@svc/contract/bytes'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { formatMoment } from '../../format.ts'

export function Backups({ backups }: { backups: AdminOverview['backups'] }) {
  if (!backups)
    return (
      <Card
        title="Backups"
        lead="No backups are made by themselves. Name a place for them and a passphrase or a public key in the settings."
      />
    )
  const { place, schedule, next_run_at, last_good_at, last_good_id, bytes, sent_bytes, kept } = backups
  const { recipients } = backups
  const { failures, failing_since, error, damaged } = backups
  return (
    <Card title="Backups" lead={schedule ? undefined : "Made by hand only, with 'svcd backup run'."}>
      <Facts
        facts={[
          { label: 'Last good backup', value: last_good_at ? <TimeAgo at={last_good_at} /> : 'None yet' },
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
          ...(last_good_id
            ? [
                {
                  label: 'Size',
                  value: `${formatBytes(bytes)}, of which ${formatBytes(sent_bytes)} were new`,
                },
                {
                  label: 'Restore with',
                  value: (
                    <code>
                      svcd restore --at {last_good_id}
                      {recipients.length > 0 && ' --identity <file of the private key>'}
                    </code>
                  ),
                  isLong: true as const,
                },
                { label: 'Kept', value: kept },
              ]
            : []),
          ...(damaged > 0 ? [{ label: 'Damaged before the backup', value: damaged }] : []),
          ...(recipients.length > 0
            ? [{ label: 'Encrypted for', value: <code>{recipients.join(', ')}</code>, isLong: true as const }]
            : []),
          { label: 'Place', value: <code>{place}</code>, isLong: true as const },
          ...(next_run_at ? [{ label: 'Next', value: formatMoment(next_run_at) }] : []),
        ]}
      />
    </Card>
  )
}
