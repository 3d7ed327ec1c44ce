import type { Account, Org } from '@svc/contract'
import { OrgAvatar, PersonAvatar } from '../../../components/avatar.tsx'
import { LinkButton } from '../../../components/button.tsx'
import { Card, Cards } from '../../../components/card.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { Row, RowLink, Rows } from '../../../components/rows.tsx'
import { formatDay } from '../../../format.ts'
import { orgPath, roles, titleOf, useOrgs } from '../../../orgs.ts'
import { href } from '../../../paths.ts'
import { session } from '../../../session.ts'
import { LimitsCard } from '../../billing/limits-card.tsx'
import { AccountLayout } from './account-layout.tsx'
import styles from './account-page.module.css'
import { DeleteCard, ExportCard } from './delete-card.tsx'
import { EmailCard } from './email-card.tsx'

export function AccountPage() {
  const current = session.use()
  if (current.state !== 'signed in') return null
  return (
    <AccountLayout>
      <Cards>
        <Who account={current.account} />
        <EmailCard account={current.account} />
        <Orgs />
        <LimitsCard />
        <ExportCard />
        <DeleteCard />
      </Cards>
    </AccountLayout>
  )
}

function Who({ account }: { account: Account }) {
  const { gitforge_login: login, email, id, created_at } = account
  return (
    <section className={styles.who} aria-label="Who you are">
      <PersonAvatar login={login} size={64} />
      <div className={styles.facts}>
        <p className={styles.login}>{login}</p>
        <p>{email ?? 'No email address'}</p>
        <p className={styles.small}>
          Since {formatDay(created_at)}, <code>{id}</code>
        </p>
      </div>
    </section>
  )
}

function Orgs() {
  return (
    <Card title="Organizations" lead="Workspaces that you share with others.">
      <Loaded resource={useOrgs()} rows={2} label="Loading organizations">
        {orgs =>
          orgs.length > 0 ? (
            <OrgRows orgs={orgs} />
          ) : (
            <p className={styles.none}>You are in none yet. Make one, or ask for an invite.</p>
          )
        }
      </Loaded>
      <div>
        <LinkButton href={href('/orgs/new')} icon="plus">
          New organization
        </LinkButton>
      </div>
    </Card>
  )
}

function OrgRows({ orgs }: { orgs: Org[] }) {
  return (
    <Rows columns="minmax(0, 1fr) auto" end="side">
      {orgs.map(org => (
        <Row key={org.id} opens>
          <span className={styles.org}>
            <OrgAvatar org={org} />
            <RowLink href={orgPath(org.name)}>{titleOf(org)}</RowLink>
          </span>
          <span className={styles.role}>{roles[org.role].title}</span>
        </Row>
      ))}
    </Rows>
  )
}
