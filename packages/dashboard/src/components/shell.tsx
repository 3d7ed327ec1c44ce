// The frame of every page of a signed-in account: the workspace, the navigation and the account.
import type { Account } from '@svc/contract'
import { Fragment, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { answering } from '../answering.ts'
import { config, siteUrl } from '../config.ts'
import { docsPageOf } from '../docs-page.ts'
import { SearchButton } from '../palette/search-button.tsx'
import { href } from '../paths.ts'
import { session, signOut } from '../session.ts'
import { PersonAvatar } from './avatar.tsx'
import { Icon } from './icon.tsx'
import { Mark } from './mark.tsx'
import { Menu } from './menu.tsx'
import styles from './shell.module.css'
import { ThemeButton } from './theme-button.tsx'
import { WorkspaceMenu } from './workspace-menu.tsx'

interface Crumb {
  label: string
  href: string
}

function AccountMenu({ account, docsUrl }: { account: Account; docsUrl: string }) {
  return (
    <Menu
      label={`Account: ${account.gitforge_login}`}
      button={<PersonAvatar login={account.gitforge_login} size={28} />}
    >
      <p className={styles.who}>
        Signed in as <strong>{account.gitforge_login}</strong>
        {account.email && <span>{account.email}</span>}
      </p>
      <Link href={href('/shares')}>
        <Icon name="link" />
        Temporary shares
      </Link>
      <Link href={href('/account')}>
        <Icon name="user" />
        Account
      </Link>
      <Link href={href('/tokens')}>
        <Icon name="key" />
        Access tokens
      </Link>
      {config().billing !== 'off' && (
        <Link href={href('/billing')}>
          <Icon name="card" />
          Billing
        </Link>
      )}
      {account.platform_admin && (
        <Link href={href('/admin')}>
          <Icon name="screen" />
          Operator area
        </Link>
      )}
      <a href={docsUrl} target="_blank" rel="noreferrer">
        <Icon name="info" />
        Docs for this page
      </a>
      <button type="button" onClick={signOut}>
        <Icon name="signOut" />
        Sign out
      </button>
    </Menu>
  )
}

function Slash() {
  return (
    <span className={styles.slash} aria-hidden="true">
      /
    </span>
  )
}

/** A banner that says that the platform does not answer. The page below keeps what it has loaded. */
function Unanswered() {
  const answers = answering.use()
  return (
    <div role="status">
      {!answers && (
        <p className={styles.unanswered}>
          Can't reach the server. Retrying every few seconds. What you see may be out of date.
        </p>
      )}
    </div>
  )
}

interface ShellProps {
  /** The org whose workspace is open. Without it, the workspace of the account is open. */
  org?: string | null
  crumbs?: Crumb[]
  children: ReactNode
}

export function Shell({ org = null, crumbs = [], children }: ShellProps) {
  const current = session.use()
  const [path] = useLocation()
  const docsUrl = siteUrl('docs') + docsPageOf(path)
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        Skip to content
      </a>
      <header className={styles.bar}>
        <nav className={styles.crumbs} aria-label="Breadcrumb">
          <Link href={href('/')} className={styles.home} aria-label="svc: all projects">
            <Mark />
            <span className={styles.word}>svc</span>
          </Link>
          <Slash />
          <WorkspaceMenu org={org} compact={crumbs.length > 0} />
          {crumbs.map(({ label, href }, position) => (
            <Fragment key={href}>
              <Slash />
              <Link
                href={href}
                className={styles.crumb}
                aria-current={position === crumbs.length - 1 ? 'page' : undefined}
              >
                {label}
              </Link>
            </Fragment>
          ))}
        </nav>
        <div className={styles.tools}>
          {current.state === 'signed in' && <SearchButton />}
          <a href={docsUrl} className={styles.docs} target="_blank" rel="noreferrer">
            Docs
          </a>
          <ThemeButton />
          {current.state === 'signed in' && <AccountMenu account={current.account} docsUrl={docsUrl} />}
        </div>
      </header>
      <Unanswered />
      <main id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
      <footer className={styles.footer}>
        <span>svc {config().version}</span>
        <a href={docsUrl} target="_blank" rel="noreferrer">
          Docs for this page
        </a>
        <a href={`${siteUrl('docs')}/api`} target="_blank" rel="noreferrer">
          API reference
        </a>
        <a href={siteUrl('status')} target="_blank" rel="noreferrer">
          Status
        </a>
      </footer>
    </div>
  )
}
