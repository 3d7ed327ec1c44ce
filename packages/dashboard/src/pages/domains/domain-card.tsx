// One custom domain: what it shows, how its certificate is doing, and what is to be done about it.
import type { Domain } from '@svc/contract'
import { explain } from '../../api.ts'
import { Button, IconButton } from '../../components/button.tsx'
import { Tag } from '../../components/tag.tsx'
import { useWork } from '../../use-work.ts'
import { DnsAdvice } from './dns-advice.tsx'
import styles from './domain-card.module.css'
import { changeDomain, lookNow, reloadDomains, urlOf, useCertificate, useProofLooks } from './domains.ts'
import { unproved, verdictOf } from './verdict.ts'
import { VerdictBadge } from './verdict-badge.tsx'

interface DomainCardProps {
  project: string
  domain: Domain
  onRetarget: () => void
  onDetach: () => void
}

export function DomainCard({ project, domain: row, onRetarget, onDetach }: DomainCardProps) {
  const { domain, branch } = row
  const { data: certificate, error, refresh } = useCertificate(project, domain)
  useProofLooks(project, row)
  const verdict = certificate && (row.proof ? unproved : verdictOf(certificate))
  return (
    <article className={styles.card} aria-label={domain}>
      <header className={styles.head}>
        <div className={styles.name}>
          <h3>
            <a href={urlOf(row)} target="_blank" rel="noreferrer">
              {domain}
            </a>{' '}
            {row.primary && <Tag>Primary</Tag>}
          </h3>
          <p className={styles.shows}>
            {row.redirect_to
              ? `Redirects to ${row.redirect_to}`
              : branch === null
                ? 'Shows production'
                : `Shows the branch ${branch}`}
          </p>
        </div>
        {verdict && <VerdictBadge verdict={verdict} />}
        {!verdict && error === undefined && (
          <p className={styles.shows} role="status">
            Looking …
          </p>
        )}
        <div className={styles.actions}>
          {!row.redirect_to && row.verified !== false && <PrimaryButton project={project} domain={row} />}
          <IconButton size="small" icon="pencil" label={`Change what ${domain} shows`} onClick={onRetarget} />
          <IconButton size="small" icon="trash" label={`Remove ${domain}`} onClick={onDetach} />
        </div>
      </header>
      {verdict?.sentence && <p className={styles.sentence}>{verdict.sentence}</p>}
      {!certificate && error !== undefined && <p className={styles.sentence}>{explain(error)}</p>}
      {certificate && !certificate.valid && (
        <DnsAdvice certificate={certificate} proof={row.proof}>
          {(certificate.issuance.state !== 'off' || row.proof) && (
            <LookAgain project={project} domain={domain} done={refresh} />
          )}
        </DnsAdvice>
      )}
    </article>
  )
}

/** The URL of the primary domain is shown as the project's own. */
function PrimaryButton({ project, domain: { domain, primary } }: { project: string; domain: Domain }) {
  const { busy, run } = useWork()
  const change = () => changeDomain(project, domain, { primary: !primary })
  return (
    <Button size="small" look="quiet" busy={busy} onClick={() => run(change)}>
      {primary ? 'Unset primary' : 'Make primary'}
    </Button>
  )
}

function LookAgain({
  project,
  domain,
  done,
}: {
  project: string
  domain: string
  done: () => Promise<void>
}) {
  const { busy, run } = useWork()
  async function look() {
    await lookNow(project, domain)
    await Promise.all([done(), reloadDomains(project)])
  }
  return (
    <Button size="small" busy={busy} onClick={() => run(look)}>
      Check again
    </Button>
  )
}
