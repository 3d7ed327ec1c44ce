// What the tour shows: every route of the dashboard, and states of pages that no route names.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { dropSources, openByKey, openDialog, rollBack, setUpAuthenticator } from './dialogs.ts'
import { longestName } from './longest.ts'
import { showBusyCharts } from './made-up-charts.ts'
import type { Samples } from './workspace.ts'

/** Who opens a page: Ada owns everything, Grace has just signed up, a visitor is not signed in. */
type Viewer = 'ada' | 'grace' | 'visitor'

export interface Stop {
  name: string
  viewer: Viewer
  path: string
  /** Brings the page into the state to look at, such as an open dialog. */
  prepare?: (page: Page) => Promise<void>
  /** A page that another stop shows too, here with the longest texts. Only its width is of interest. */
  isForWidth?: true
}

/** Routes whose parameters differ from the usual sample, or that need a query. */
const particular: Record<string, string> = {
  '/projects/:name/git': '/projects/handbook/git',
  '/projects/:name/git/:build': '/projects/handbook/git/:build',
  '/projects/:name/logs': '/projects/shop/logs',
  '/projects/:name/storage': '/projects/shop/storage',
  '/projects/:name/metrics': '/projects/shop/metrics',
  '/projects/:name/logs/:view': '/projects/:name/logs/requests',
  '/projects/:name/deployments/:deployment/:view': '/projects/:name/deployments/:deployment/files',
  '/projects/:name/forms/:form': '/projects/:name/forms/contact',
  '/join/:token': '/join/:join',
  '/access': '/access?project=intranet&host=nowhere.localhost',
}

const states: Stop[] = [
  { name: 'first visit', viewer: 'grace', path: '/' },
  { name: 'empty shares', viewer: 'grace', path: '/shares' },
  { name: 'empty ai', viewer: 'grace', path: '/ai' },
  { name: 'free plan', viewer: 'grace', path: '/billing' },
  {
    name: 'billing details',
    viewer: 'grace',
    path: '/billing',
    prepare: openDialog('Change to Pro'),
  },
  { name: 'server app', viewer: 'ada', path: '/projects/shop' },
  { name: 'git project', viewer: 'ada', path: '/projects/handbook' },
  { name: 'empty project', viewer: 'ada', path: '/projects/newsletter-archive-2019' },
  { name: 'empty deployments', viewer: 'ada', path: '/projects/newsletter-archive-2019/deployments' },
  { name: 'empty analytics', viewer: 'ada', path: '/projects/newsletter-archive-2019/analytics' },
  { name: 'empty metrics', viewer: 'ada', path: '/projects/newsletter-archive-2019/metrics' },
  { name: 'busy metrics', viewer: 'ada', path: '/projects/shop/metrics', prepare: showBusyCharts },
  { name: 'busy platform', viewer: 'ada', path: '/admin/metrics', prepare: showBusyCharts },
  { name: 'empty git', viewer: 'ada', path: '/projects/newsletter-archive-2019/git' },
  { name: 'empty domains', viewer: 'ada', path: '/projects/newsletter-archive-2019/domains' },
  { name: 'empty environment', viewer: 'ada', path: '/projects/newsletter-archive-2019/environment' },
  { name: 'empty storage', viewer: 'ada', path: '/projects/newsletter-archive-2019/storage' },
  { name: 'new disk', viewer: 'ada', path: '/projects/landing/storage', prepare: openDialog('Add disk') },
  { name: 'empty crons', viewer: 'ada', path: '/projects/newsletter-archive-2019/crons' },
  { name: 'empty forms', viewer: 'ada', path: '/projects/newsletter-archive-2019/forms' },
  { name: 'empty logs', viewer: 'ada', path: '/projects/newsletter-archive-2019/logs' },
  { name: 'not found', viewer: 'ada', path: '/no/such/page' },
  { name: 'unknown project', viewer: 'ada', path: '/projects/no-such-project' },
  { name: 'new project', viewer: 'ada', path: '/', prepare: openDialog('New project') },
  { name: 'project of a template', viewer: 'grace', path: '/', prepare: openDialog('Choose a template') },
  { name: 'pushed project', viewer: 'grace', path: '/', prepare: openDialog('Import or push a repository') },
  { name: 'new job', viewer: 'ada', path: '/projects/landing/crons', prepare: openDialog('Add job') },
  { name: 'new domain', viewer: 'ada', path: '/projects/landing/domains', prepare: openDialog('Add domain') },
  { name: 'new token', viewer: 'ada', path: '/tokens', prepare: openDialog('New token') },
  { name: 'new invitation', viewer: 'ada', path: '/admin/users', prepare: openDialog('Invite') },
  { name: 'edit job', viewer: 'ada', path: '/projects/landing/crons', prepare: openDialog(/^Edit the job/) },
  { name: 'edit domain', viewer: 'ada', path: '/projects/landing/domains', prepare: openDialog(/^Change/) },
  {
    name: 'edit notification',
    viewer: 'ada',
    path: '/projects/landing/notifications',
    prepare: openDialog('Edit'),
  },
  { name: 'form settings', viewer: 'ada', path: '/projects/landing/forms/contact?show=settings' },
  { name: 'filtered analytics', viewer: 'ada', path: '/projects/landing/analytics?page=%2F&country=XX' },
  { name: 'analytics by hours', viewer: 'ada', path: '/projects/landing/analytics?range=24h' },
  {
    name: 'one request',
    viewer: 'ada',
    path: '/projects/landing/logs/requests',
    prepare: page => page.getByRole('log').getByRole('button', { expanded: false }).first().click(),
  },
  {
    name: 'authenticator',
    viewer: 'grace',
    path: '/account/security',
    prepare: setUpAuthenticator('the password of grace'),
  },
  { name: 'drop sheet', viewer: 'ada', path: '/projects/landing', prepare: dropSources },
  { name: 'toast', viewer: 'ada', path: '/projects/status-page', prepare: rollBack },
  { name: 'palette', viewer: 'ada', path: '/', prepare: openByKey('Control+k') },
  {
    name: 'palette results',
    viewer: 'ada',
    path: '/projects/landing',
    prepare: openByKey('Control+k', 'dep'),
  },
  { name: 'keyboard help', viewer: 'ada', path: '/projects/landing', prepare: openByKey('?') },
  {
    name: 'account menu',
    viewer: 'ada',
    path: '/',
    prepare: page => page.getByRole('button', { name: /^Account: / }).click(),
  },
]

/** Pages of the project with the longest names. Lists of the account show that project, too. */
const longest = (samples: Samples): Stop[] =>
  [
    '',
    '/deployments',
    `/deployments/${samples.longestdeployment}`,
    `/deployments/${samples.longestdeployment}/files`,
    '/git',
    `/git/${samples.longestbuild}`,
    '/analytics',
    '/analytics?range=24h',
    '/domains',
    '/environment',
    '/crons',
    '/notifications',
    '/forms',
    `/forms/${longestName}`,
    '/logs/requests',
    '/access',
    '/activity',
    '/settings',
    '/storage',
  ].map(path => ({
    name: `longest ${path.replace(/w{9,}/, 'w')}`,
    viewer: 'ada',
    path: `/projects/${longestName}${path}`,
    isForWidth: true,
  }))

/** Every route, read from the dashboard's table, so that a new page is on the tour without being added here. */
export async function stops(samples: Samples): Promise<Stop[]> {
  const source = await readFile(new URL('../../../packages/dashboard/src/routes.ts', import.meta.url), 'utf8')
  const found: Stop[] = []
  let audience = ''
  for (const line of source.split('\n')) {
    const [, group, route] = /^ {2}([a-z]+): \{$|^ {4}'(\/[^']*)':/.exec(line) ?? []
    if (group !== undefined) audience = group
    if (route === undefined) continue
    const viewer = audience === 'members' ? 'ada' : 'visitor'
    found.push({ name: route, viewer, path: fillIn(particular[route] ?? route, samples) })
  }
  if (found.length < 30)
    throw new Error(`routes.ts was read wrongly: only ${found.length} routes were found.`)
  return [...found, ...states, ...longest(samples)]
}

function fillIn(route: string, samples: Samples): string {
  return route.replace(/:([a-z]+)/g, (_, parameter: string) => {
    const sample = route.startsWith('/orgs/') && parameter === 'name' ? samples.org : samples[parameter]
    if (sample === undefined)
      throw new Error(`The tour has no sample for :${parameter} of ${route}. Add one in e2e/tour/.`)
    return sample
  })
}
