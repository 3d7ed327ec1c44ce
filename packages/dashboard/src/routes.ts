// The pages of the dashboard by their paths. The code of a page is loaded when the page is first opened.
import type { ComponentType } from 'react'
import type { Audience, Paths } from './paths.ts'

type Load = () => Promise<ComponentType>

export const routes: { [A in Audience]: Record<Paths[A], Load> } = {
  members: {
    '/': async () => (await import('./pages/projects/projects-page.tsx')).ProjectsPage,
    '/projects/:name': async () => (await import('./pages/projects/project/project-page.tsx')).ProjectPage,
    '/projects/:name/deployments': async () =>
      (await import('./pages/deployments/deployments-page.tsx')).DeploymentsPage,
    '/projects/:name/deployments/:deployment': async () =>
      (await import('./pages/deployments/deployment-page.tsx')).DeploymentPage,
    '/projects/:name/deployments/:deployment/:view': async () =>
      (await import('./pages/deployments/deployment-page.tsx')).DeploymentPage,
    '/projects/:name/git': async () => (await import('./pages/builds/git-page.tsx')).GitPage,
    '/projects/:name/git/:build': async () => (await import('./pages/builds/build-page.tsx')).BuildPage,
    '/projects/:name/analytics': async () => (await import('./pages/stats/analytics-page.tsx')).AnalyticsPage,
    '/projects/:name/metrics': async () => (await import('./pages/stats/metrics-page.tsx')).MetricsPage,
    '/projects/:name/domains': async () => (await import('./pages/domains/domains-page.tsx')).DomainsPage,
    '/projects/:name/environment': async () =>
      (await import('./pages/env/environment-page.tsx')).EnvironmentPage,
    '/projects/:name/crons': async () => (await import('./pages/crons/crons-page.tsx')).CronsPage,
    '/projects/:name/notifications': async () =>
      (await import('./pages/notifications/notifications-page.tsx')).NotificationsPage,
    '/projects/:name/forms': async () => (await import('./pages/forms/forms-page.tsx')).FormsPage,
    '/projects/:name/forms/:form': async () => (await import('./pages/forms/form-page.tsx')).FormPage,
    '/projects/:name/logs': async () => (await import('./pages/logs/logs-page.tsx')).LogsPage,
    '/projects/:name/logs/:view': async () => (await import('./pages/logs/logs-page.tsx')).LogsPage,
    '/projects/:name/access': async () => (await import('./pages/access/access-page.tsx')).AccessPage,
    '/projects/:name/activity': async () =>
      (await import('./pages/projects/project/activity-page.tsx')).ActivityPage,
    '/projects/:name/settings': async () =>
      (await import('./pages/projects/project/settings-page.tsx')).ProjectSettingsPage,
    '/projects/:name/storage': async () =>
      (await import('./pages/projects/project/storage-page.tsx')).StoragePage,
    '/projects/:name/tables': async () => (await import('./pages/databases/tables-page.tsx')).TablesPage,
    '/shares': async () => (await import('./pages/shares/shares-page.tsx')).SharesPage,
    '/access': async () => (await import('./pages/access/enter-page.tsx')).EnterPage,
    '/orgs/new': async () => (await import('./pages/orgs/new-org-page.tsx')).NewOrgPage,
    '/orgs/:name': async () => (await import('./pages/orgs/org-projects-page.tsx')).OrgProjectsPage,
    '/orgs/:name/projects': async () => (await import('./pages/orgs/org-projects-page.tsx')).OrgProjectsPage,
    '/orgs/:name/members': async () => (await import('./pages/orgs/members-page.tsx')).MembersPage,
    '/orgs/:name/tokens': async () => (await import('./pages/orgs/org-tokens-page.tsx')).OrgTokensPage,
    '/orgs/:name/ai': async () => (await import('./pages/ai/ai-page.tsx')).OrgAiPage,
    '/orgs/:name/billing': async () => (await import('./pages/billing/billing-page.tsx')).OrgBillingPage,
    '/orgs/:name/audit': async () => (await import('./pages/orgs/org-audit-page.tsx')).OrgAuditPage,
    '/orgs/:name/settings': async () => (await import('./pages/orgs/org-settings-page.tsx')).OrgSettingsPage,
    '/account': async () => (await import('./pages/identity/account/account-page.tsx')).AccountPage,
    '/confirm-email/:token': async () =>
      (await import('./pages/identity/account/confirm-email-page.tsx')).ConfirmEmailPage,
    '/account/security': async () =>
      (await import('./pages/identity/security/security-page.tsx')).SecurityPage,
    '/ai': async () => (await import('./pages/ai/ai-page.tsx')).AiPage,
    '/billing': async () => (await import('./pages/billing/billing-page.tsx')).BillingPage,
    '/tokens': async () => (await import('./pages/identity/tokens/tokens-page.tsx')).TokensPage,
    '/repositories': async () => (await import('./pages/builds/repositories-page.tsx')).RepositoriesPage,
    '/admin': async () => (await import('./pages/admin/overview-page.tsx')).AdminOverviewPage,
    '/admin/metrics': async () => (await import('./pages/admin/metrics-page.tsx')).AdminMetricsPage,
    '/admin/users': async () => (await import('./pages/admin/users-page.tsx')).AdminUsersPage,
    '/admin/suspensions': async () =>
      (await import('./pages/admin/suspensions-page.tsx')).AdminSuspensionsPage,
    '/admin/builds': async () => (await import('./pages/admin/builds-page.tsx')).AdminBuildsPage,
    '/admin/settings': async () =>
      (await import('./pages/admin/settings/settings-page.tsx')).AdminSettingsPage,
    '/admin/settings/github': async () =>
      (await import('./pages/admin/settings/new-github-app-page.tsx')).NewGitHubAppPage,
    '/admin/jobs': async () => (await import('./pages/admin/jobs-page.tsx')).AdminJobsPage,
    '/admin/certificates': async () =>
      (await import('./pages/admin/certificates-page.tsx')).AdminCertificatesPage,
    '/admin/invoices': async () => (await import('./pages/admin/invoices-page.tsx')).AdminInvoicesPage,
    '/device': async () => (await import('./pages/identity/device/device-page.tsx')).DevicePage,
  },
  visitors: {
    '/signin': async () => (await import('./pages/identity/sign-in/signin-page.tsx')).SignInPage,
    '/signup': async () => (await import('./pages/identity/sign-in/signup-page.tsx')).SignUpPage,
    '/forgot-password': async () =>
      (await import('./pages/identity/sign-in/forgot-password-page.tsx')).ForgotPasswordPage,
  },
  all: {
    '/invites/:token': async () => (await import('./pages/orgs/invites/invite-page.tsx')).InvitePage,
    '/join/:token': async () => (await import('./pages/identity/sign-in/join-page.tsx')).JoinPage,
    '/reset-password': async () =>
      (await import('./pages/identity/sign-in/reset-password-page.tsx')).ResetPasswordPage,
    '/setup': async () => (await import('./pages/identity/setup/setup-page.tsx')).SetupPage,
  },
}

/** Loads the code of the page at this path, so that it is there when the session is. */
export function preloadPage(path: string): void {
  for (const group of Object.values(routes))
    for (const [pattern, load] of Object.entries<Load>(group))
      if (fits(pattern.split('/'), path.split('/'))) {
        // A failure shows when the page is drawn.
        load().catch(() => undefined)
        return
      }
}

const fits = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.length === path.length && pattern.every((part, i) => part.startsWith(':') || part === path[i])
