// What the command palette offers: the pages of the open project, all projects, the pages of the account, and actions.
import type { Org, ProjectDetail } from '@svc/contract'
import { config } from '../config.ts'
import { orgPath, titleOf } from '../orgs.ts'
import { href } from '../paths.ts'
import { may } from '../rights.ts'
import { isPlatformAdmin, session, signOut } from '../session.ts'
import { chooseTheme } from '../theme.ts'
import { withAdd } from '../use-add-in-url.ts'
import type { Entry, Link } from './entry.ts'
import { entriesOfProject } from './project-entries.ts'
import { openOverlay, projectAt } from './shortcuts.ts'

interface Context {
  path: string
  /** The project whose page is open, once it is loaded. */
  project: ProjectDetail | undefined
  projects: readonly { name: string; org: string | null }[]
  orgs: readonly Org[]
  navigate: (path: string) => void
}

export function entriesOf({ path, project, projects, orgs, navigate }: Context): Entry[] {
  const open = projectAt(path)
  const link: Link = (group, label, icon, to, note) => ({
    ...{ group, label, icon, run: () => navigate(to) },
    ...(note && { note }),
  })
  const pages = [
    ['Projects', 'screen', '/'],
    ['Temporary shares', 'link', '/shares'],
    ['Account', 'user', '/account'],
    ['Sign-in and security', 'lock', '/account/security'],
    ['Access tokens', 'key', '/tokens'],
    ...(config().billing === 'off' ? [] : ([['Billing', 'card', '/billing']] as const)),
    ...(config().ai ? ([['AI', 'globe', '/ai']] as const) : []),
    ...(isPlatformAdmin(session.get()) ? ([['Operator area', 'screen', '/admin']] as const) : []),
  ] as const
  return [
    ...(open === undefined ? [] : entriesOfProject(open, project, link, navigate)),
    ...projects.map(({ name, org }) =>
      link('Projects', name, 'globe', href('/projects/:name', { name }), org ?? undefined),
    ),
    ...pages.map(([label, icon, to]) => link('Pages', label, icon, href(to))),
    ...orgs.map(org => link('Organizations', titleOf(org), 'users', orgPath(org.name))),
    ...orgs
      .filter(({ role }) => may(role, 'POST /orgs/:name/invites'))
      .map(org => {
        const to = withAdd(href('/orgs/:name/members', { name: org.name }))
        return link('Actions', `Invite someone to ${titleOf(org)}`, 'plus', to)
      }),
    ...actions,
    link('Actions', 'New organization', 'plus', href('/orgs/new')),
  ]
}

const actions: Entry[] = [
  {
    ...{ group: 'Actions', label: 'New project', icon: 'plus' },
    run: () => openOverlay('new project'),
  },
  { group: 'Actions', label: 'Theme: light', icon: 'sun', run: () => chooseTheme('light') },
  { group: 'Actions', label: 'Theme: dark', icon: 'moon', run: () => chooseTheme('dark') },
  { group: 'Actions', label: 'Theme: as the system', icon: 'screen', run: () => chooseTheme('system') },
  {
    ...{ group: 'Actions', label: 'Keyboard shortcuts', icon: 'info', note: '?' },
    run: () => openOverlay('shortcuts'),
  },
  { group: 'Actions', label: 'Sign out', icon: 'signOut', run: signOut },
]
