// The frame of the account pages.
import type { ReactNode } from 'react'
import { PageHeader, PageTitle } from '../../../components/page.tsx'
import { Shell } from '../../../components/shell.tsx'
import { Tabs } from '../../../components/tabs.tsx'
import { config } from '../../../config.ts'
import { href } from '../../../paths.ts'

const tabs = () => [
  { label: 'Profile', href: href('/account') },
  { label: 'Sign-in and security', href: href('/account/security') },
  { label: 'Access tokens', href: href('/tokens') },
  { label: 'Repositories', href: href('/repositories') },
  ...(config().ai ? [{ label: 'AI', href: href('/ai') }] : []),
  ...(config().billing === 'off' ? [] : [{ label: 'Billing', href: href('/billing') }]),
]

interface AccountLayoutProps {
  /** The name of the page, where it is not the account's first. */
  title?: string
  actions?: ReactNode
  children: ReactNode
}

export function AccountLayout({ title = 'Account', actions, children }: AccountLayoutProps) {
  return (
    <Shell crumbs={[{ label: 'Account', href: href('/account') }]}>
      <PageHeader actions={actions}>
        <PageTitle title={title}>Account</PageTitle>
      </PageHeader>
      <Tabs label="Account" tabs={tabs()} />
      {children}
    </Shell>
  )
}
