// Which page of the docs explains a page of the dashboard.

/** By the segment that names the page: the one below a project or an org, else the first. */
const pages: Record<string, string> = {
  '': 'dashboard#projects',
  projects: 'dashboard#the-overview-of-a-project',
  deployments: 'deployments',
  git: 'builds',
  repositories: 'builds#repositories',
  analytics: 'stats',
  metrics: 'stats#charts-over-time',
  domains: 'domains',
  environment: 'env',
  crons: 'crons',
  notifications: 'notifications',
  forms: 'forms',
  logs: 'logs',
  access: 'access',
  activity: 'projects#activity',
  settings: 'projects',
  storage: 'data',
  shares: 'shares',
  orgs: 'orgs',
  members: 'orgs#invites',
  tokens: 'identity#tokens',
  audit: 'orgs#audit-log',
  ai: 'ai',
  billing: 'billing',
  account: 'identity',
  admin: 'operations#operator-area',
  device: 'dashboard#approving-a-device',
}

/** The path at docs.<domain> for a path of the dashboard. */
export function docsPageOf(path: string): string {
  const [first = '', , third] = path.split('/').slice(1)
  const segment = (first === 'projects' || first === 'orgs') && third ? third : first
  return `/${pages[segment] ?? 'dashboard'}`
}
