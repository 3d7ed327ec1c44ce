// The routes of the dashboard, and what a visitor needs to see them.
import type { ComponentType } from 'react'
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter'
import { Button } from './components/button.tsx'
import { Gate } from './components/gate.tsx'
import { Toasts } from './components/toasts.tsx'
import { ErrorBoundary } from './components/trouble.tsx'
import { config } from './config.ts'
import { nextPath, signInPath } from './next.ts'
import { AccessPage } from './pages/access/access-page.tsx'
import { EnterPage } from './pages/access/enter-page.tsx'
import { AiPage, OrgAiPage } from './pages/ai/ai-page.tsx'
import { BillingPage, OrgBillingPage } from './pages/billing/billing-page.tsx'
import { BuildPage } from './pages/builds/build-page.tsx'
import { GitPage } from './pages/builds/git-page.tsx'
import { CronsPage } from './pages/crons/crons-page.tsx'
import { DeploymentPage } from './pages/deployments/deployment-page.tsx'
import { DeploymentsPage } from './pages/deployments/deployments-page.tsx'
import { DomainsPage } from './pages/domains/domains-page.tsx'
import { EnvironmentPage } from './pages/env/environment-page.tsx'
import { FormPage } from './pages/forms/form-page.tsx'
import { FormsPage } from './pages/forms/forms-page.tsx'
import { AccountPage } from './pages/identity/account/account-page.tsx'
import { DevicePage } from './pages/identity/device/device-page.tsx'
import { SetupPage } from './pages/identity/setup/setup-page.tsx'
import { SignInPage } from './pages/identity/sign-in/signin-page.tsx'
import { SignUpPage } from './pages/identity/sign-in/signup-page.tsx'
import { SwitchAccountPage } from './pages/identity/sign-in/switch-account-page.tsx'
import { TokensPage } from './pages/identity/tokens/tokens-page.tsx'
import { LogsPage } from './pages/logs/logs-page.tsx'
import { NotFoundPage } from './pages/not-found-page.tsx'
import { InvitePage } from './pages/orgs/invites/invite-page.tsx'
import { MembersPage } from './pages/orgs/members-page.tsx'
import { NewOrgPage } from './pages/orgs/new-org-page.tsx'
import { OrgAuditPage } from './pages/orgs/org-audit-page.tsx'
import { OrgProjectsPage } from './pages/orgs/org-projects-page.tsx'
import { OrgSettingsPage } from './pages/orgs/org-settings-page.tsx'
import { OrgTokensPage } from './pages/orgs/org-tokens-page.tsx'
import { ActivityPage } from './pages/projects/project/activity-page.tsx'
import { ProjectPage } from './pages/projects/project/project-page.tsx'
import { ProjectSettingsPage } from './pages/projects/project/settings-page.tsx'
import { ProjectsPage } from './pages/projects/projects-page.tsx'
import { SharesPage } from './pages/shares/shares-page.tsx'
import { AnalyticsPage } from './pages/stats/analytics-page.tsx'
import { openSession, session } from './session.ts'
import { start, starting } from './start.ts'

/** Pages for everyone, pages for visitors only, and pages for the signed in. */
type Audience = 'all' | 'visitors' | 'members'

const pages: readonly { path: string; page: ComponentType; audience: Audience }[] = [
  { path: '/', page: ProjectsPage, audience: 'members' },
  { path: '/projects/:name', page: ProjectPage, audience: 'members' },
  { path: '/projects/:name/deployments', page: DeploymentsPage, audience: 'members' },
  { path: '/projects/:name/deployments/:deployment', page: DeploymentPage, audience: 'members' },
  { path: '/projects/:name/deployments/:deployment/:view', page: DeploymentPage, audience: 'members' },
  { path: '/projects/:name/git', page: GitPage, audience: 'members' },
  { path: '/projects/:name/git/:build', page: BuildPage, audience: 'members' },
  { path: '/projects/:name/analytics', page: AnalyticsPage, audience: 'members' },
  { path: '/projects/:name/domains', page: DomainsPage, audience: 'members' },
  { path: '/projects/:name/environment', page: EnvironmentPage, audience: 'members' },
  { path: '/projects/:name/crons', page: CronsPage, audience: 'members' },
  { path: '/projects/:name/forms', page: FormsPage, audience: 'members' },
  { path: '/projects/:name/forms/:form', page: FormPage, audience: 'members' },
  { path: '/projects/:name/logs', page: LogsPage, audience: 'members' },
  { path: '/projects/:name/access', page: AccessPage, audience: 'members' },
  { path: '/projects/:name/activity', page: ActivityPage, audience: 'members' },
  { path: '/projects/:name/settings', page: ProjectSettingsPage, audience: 'members' },
  { path: '/shares', page: SharesPage, audience: 'members' },
  { path: '/access', page: EnterPage, audience: 'members' },
  { path: '/orgs/new', page: NewOrgPage, audience: 'members' },
  { path: '/orgs/:name', page: OrgProjectsPage, audience: 'members' },
  { path: '/orgs/:name/projects', page: OrgProjectsPage, audience: 'members' },
  { path: '/orgs/:name/members', page: MembersPage, audience: 'members' },
  { path: '/orgs/:name/tokens', page: OrgTokensPage, audience: 'members' },
  { path: '/orgs/:name/ai', page: OrgAiPage, audience: 'members' },
  { path: '/orgs/:name/billing', page: OrgBillingPage, audience: 'members' },
  { path: '/orgs/:name/audit', page: OrgAuditPage, audience: 'members' },
  { path: '/orgs/:name/settings', page: OrgSettingsPage, audience: 'members' },
  { path: '/invites/:token', page: InvitePage, audience: 'all' },
  { path: '/account', page: AccountPage, audience: 'members' },
  { path: '/ai', page: AiPage, audience: 'members' },
  { path: '/billing', page: BillingPage, audience: 'members' },
  { path: '/tokens', page: TokensPage, audience: 'members' },
  { path: '/device', page: DevicePage, audience: 'members' },
  { path: '/signin', page: SignInPage, audience: 'visitors' },
  { path: '/signup', page: SignUpPage, audience: 'visitors' },
  { path: '/setup', page: SetupPage, audience: 'all' },
]

function Admit({ page: Page, audience }: { page: ComponentType; audience: Audience }) {
  const [path] = useLocation()
  const search = useSearch()
  const signedIn = session.use().state === 'signed in'
  if (audience === 'all') return <Page />
  if (config().setup_needed) return <Redirect to="/setup" replace />
  if (audience === 'members' && !signedIn)
    return <Redirect to={signInPath(search ? `${path}?${search}` : path)} replace />
  if (audience === 'visitors' && signedIn) return <Redirect to={nextPath(search, location.origin)} replace />
  return <Page />
}

function Pages() {
  const [path] = useLocation()
  const current = session.use()
  // Another page, or another account, starts afresh.
  const visit = current.state === 'signed in' ? `${current.account.id} ${path}` : path
  return (
    <Switch>
      {pages.map(({ path: pattern, page, audience }) => (
        <Route key={pattern} path={pattern}>
          <Admit key={visit} page={page} audience={audience} />
        </Route>
      ))}
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  )
}

function Unreachable({ retry }: { retry: () => void }) {
  return (
    <Gate
      title="The platform does not answer"
      lead="Check your connection, or whether the server is running. Sites that are live stay live."
    >
      <Button look="primary" size="large" onClick={retry}>
        Try again
      </Button>
    </Gate>
  )
}

function Screen() {
  const started = starting.use()
  const { state } = session.use()
  if (started === 'failed') return <Unreachable retry={() => void start()} />
  if (started === 'starting') return null
  if (state === 'asking') return <SwitchAccountPage />
  if (state === 'unreachable') return <Unreachable retry={() => void openSession()} />
  return <Pages />
}

export function App() {
  return (
    <ErrorBoundary>
      <Screen />
      <Toasts />
    </ErrorBoundary>
  )
}
