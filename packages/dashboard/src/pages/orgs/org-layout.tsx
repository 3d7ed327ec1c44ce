// The frame that all pages of an org share: what it is, one's role in it, and the tabs that the role opens.
import type { OrgDetail, ScopedKey } from '@svc/contract'
import type { ReactNode } from 'react'
import { useParams } from 'wouter'
import { codeOf } from '../../api.ts'
import { OrgAvatar } from '../../components/avatar.tsx'
import { LinkButton } from '../../components/button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageHeader, PageTitle, useTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { Trouble } from '../../components/trouble.tsx'
import { config } from '../../config.ts'
import { orgPath, roles, titleOf, useOrg } from '../../orgs.ts'
import { href, type PathWith } from '../../paths.ts'
import type { Resource } from '../../resource.ts'
import { may } from '../../rights.ts'
import styles from './org-layout.module.css'

/** Each tab with the route that its page lives on. */
const tabs = {
  Projects: { path: '/orgs/:name', route: 'GET /orgs/:name' },
  Members: { path: '/orgs/:name/members', route: 'GET /orgs/:name' },
  Tokens: { path: '/orgs/:name/tokens', route: 'GET /orgs/:name/tokens' },
  AI: { path: '/orgs/:name/ai', route: 'GET /orgs/:name/usage/ai/days' },
  Billing: { path: '/orgs/:name/billing', route: 'GET /orgs/:name/billing' },
  Activity: { path: '/orgs/:name/audit', route: 'GET /orgs/:name/audit' },
  Settings: { path: '/orgs/:name/settings', route: 'GET /orgs/:name/installations' },
} as const satisfies Record<string, { path: PathWith<'name'>; route: ScopedKey }>

type OrgTab = keyof typeof tabs

/** Parts that the operator may have left out. */
const isOffered = (label: string) =>
  label === 'Billing' ? config().billing !== 'off' : label === 'AI' ? config().ai : true

interface OrgLayoutProps {
  tab: OrgTab
  actions?: (org: OrgDetail) => ReactNode
  children: (org: OrgDetail, resource: Resource<OrgDetail>) => ReactNode
}

export function OrgLayout({ tab, actions, children }: OrgLayoutProps) {
  const { name = '' } = useParams<{ name: string }>()
  const resource = useOrg(name)
  const { data, error } = resource

  return (
    <Shell org={name}>
      {!data && codeOf(error) === 'not_found' ? (
        <Missing name={name} />
      ) : (
        <Loaded resource={resource} rows={5} label={`Loading ${name}`}>
          {org => {
            const allowed = may(org.role, tabs[tab].route)
            return (
              <>
                <Header org={org} tab={tab} actions={allowed && actions?.(org)} />
                <Tabs
                  label="Organization"
                  tabs={Object.entries(tabs)
                    .filter(([label, { route }]) => may(org.role, route) && isOffered(label))
                    .map(([label, { path }]) => ({ label, href: orgPath(name, path) }))}
                />
                {allowed ? children(org, resource) : <NotForRole org={org} />}
              </>
            )
          }}
        </Loaded>
      )}
    </Shell>
  )
}

function Header({ org, tab, actions }: { org: OrgDetail; tab: OrgTab; actions: ReactNode }) {
  const title = titleOf(org)
  return (
    <PageHeader actions={actions}>
      <div className={styles.org}>
        <OrgAvatar org={org} size={40} />
        <div className={styles.names}>
          <PageTitle title={tab === 'Projects' ? title : `${tab} of ${title}`}>{title}</PageTitle>
          <p className={styles.facts}>
            {title !== org.name && <span>{org.name}</span>}
            <span>
              You are {org.role === 'member' ? 'a' : 'an'} {roles[org.role].title.toLowerCase()}
            </span>
          </p>
        </div>
      </div>
    </PageHeader>
  )
}

function NotForRole({ org }: { org: OrgDetail }) {
  return (
    <Trouble
      title="This page is not for your role"
      action={<LinkButton href={orgPath(org.name)}>Go to the projects</LinkButton>}
    >
      You are a {org.role} of {titleOf(org)}. Its admins and owners see this page; ask one of them.
    </Trouble>
  )
}

function Missing({ name }: { name: string }) {
  useTitle('Organization not found')
  return (
    <Trouble
      title="Organization not found"
      level={1}
      action={<LinkButton href={href('/')}>Go to your projects</LinkButton>}
    >
      There is no organization “{name}”, or you are not in it. Somebody in it can invite you.
    </Trouble>
  )
}
