// The frame that all pages of the operator area share.
import type { ReactNode } from 'react'
import { LinkButton } from '../../components/button.tsx'
import { PageHeader, PageTitle } from '../../components/page.tsx'
import { Shell } from '../../components/shell.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { Trouble } from '../../components/trouble.tsx'
import { href } from '../../paths.ts'
import { isPlatformAdmin, session } from '../../session.ts'
import styles from './admin.module.css'

const tabs = [
  { label: 'Overview', href: href('/admin') },
  { label: 'Metrics', href: href('/admin/metrics') },
  { label: 'Users', href: href('/admin/users') },
  { label: 'Settings', href: href('/admin/settings') },
  { label: 'Suspensions', href: href('/admin/suspensions') },
  { label: 'Builds', href: href('/admin/builds') },
  { label: 'Jobs', href: href('/admin/jobs') },
  { label: 'Certificates', href: href('/admin/certificates') },
  { label: 'Invoices', href: href('/admin/invoices') },
]

interface AdminLayoutProps {
  tab: string
  actions?: ReactNode
  children: ReactNode
}

export function AdminLayout({ tab, actions, children }: AdminLayoutProps) {
  const isAdmin = isPlatformAdmin(session.use())
  return (
    <Shell crumbs={[{ label: 'Operator area', href: href('/admin') }]}>
      {isAdmin ? (
        <>
          <PageHeader actions={actions}>
            <PageTitle title={`${tab} of the platform`}>Operator area</PageTitle>
          </PageHeader>
          <Tabs label="Operator area" tabs={tabs} current={tab} />
          <div className={styles.parts}>{children}</div>
        </>
      ) : (
        <Trouble
          title="This area is for platform admins"
          level={1}
          action={<LinkButton href={href('/')}>Go to your projects</LinkButton>}
        >
          The first account of the platform is a platform admin. Ask its owner.
        </Trouble>
      )}
    </Shell>
  )
}
