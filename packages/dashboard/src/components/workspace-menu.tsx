// Shows which workspace is open, the account's or an org's, and switches to another.
import type { Org } from '@svc/contract'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { orgPath, titleOf, useOrgs } from '../orgs.ts'
import { href } from '../paths.ts'
import { useLogin } from '../session.ts'
import { OrgAvatar, PersonAvatar } from './avatar.tsx'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'
import styles from './workspace-menu.module.css'

interface WorkspaceMenuProps {
  /** The org whose pages are open. Null for the workspace of the account. */
  org: string | null
  /** Whether narrow screens show only the picture, to leave room for what follows. */
  compact: boolean
}

export function WorkspaceMenu({ org, compact }: WorkspaceMenuProps) {
  const me = useLogin()
  const { data: orgs } = useOrgs()
  const open = org === null ? undefined : (orgs?.find(({ name }) => name === org) ?? asUnknown(org))
  return (
    <div className={styles.workspace} data-compact={compact ? '' : undefined}>
      <Link href={open ? orgPath(open.name) : href('/')} className={styles.current}>
        {open ? <OrgAvatar org={open} size={20} /> : <PersonAvatar login={me} size={20} />}
        <span className={styles.name}>{open ? titleOf(open) : me}</span>
      </Link>
      <Menu label="Switch workspace" edge="start">
        <Entry
          href={href('/')}
          current={org === null}
          picture={<PersonAvatar login={me} size={20} />}
          title={me}
        >
          Personal
        </Entry>
        {orgs?.map(each => (
          <Entry
            key={each.id}
            href={orgPath(each.name)}
            current={each.name === org}
            picture={<OrgAvatar org={each} size={20} />}
            title={titleOf(each)}
          />
        ))}
        <div className={styles.new}>
          <Link href={href('/orgs/new')}>
            <Icon name="plus" />
            New organization
          </Link>
        </div>
      </Menu>
    </div>
  )
}

/** Stands in for an org until the list has loaded, or if the account is not a member any more. */
const asUnknown = (name: string): Pick<Org, 'name' | 'display_name' | 'icon_url'> => ({
  name,
  display_name: null,
  icon_url: null,
})

interface EntryProps {
  href: string
  current: boolean
  picture: ReactNode
  title: string
  children?: string
}

function Entry({ href, current, picture, title, children }: EntryProps) {
  return (
    <Link href={href} aria-current={current ? 'true' : undefined}>
      {picture}
      <span className={styles.title}>{title}</span>
      {children && <span className={styles.kind}>{children}</span>}
      {current && <Icon name="check" size={14} />}
    </Link>
  )
}
