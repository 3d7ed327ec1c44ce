// What the command palette offers: the pages of the open project, all projects, the pages of the account, and actions.
import type { Org } from '@svc/contract'
import type { IconName } from '../components/icon.tsx'
import { notify } from '../components/toasts.tsx'
import { config, siteUrl } from '../config.ts'
import { orgPath, titleOf } from '../orgs.ts'
import { href } from '../paths.ts'
import { isPlatformAdmin, session, signOut } from '../session.ts'
import { chooseTheme } from '../theme.ts'
import { goTo, openOverlay, projectAt } from './shortcuts.ts'

export interface Entry {
  group: string
  label: string
  /** What is shown behind it, such as the org of a project. */
  note?: string
  icon: IconName
  run: () => void
}

interface Context {
  path: string
  projects: readonly { name: string; org: string | null }[]
  orgs: readonly Org[]
  navigate: (path: string) => void
}

export function entriesOf({ path, projects, orgs, navigate }: Context): Entry[] {
  const open = projectAt(path)
  const link = (group: string, label: string, icon: IconName, to: string, note?: string): Entry => ({
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
    ...(open === undefined ? [] : ofProject(open, link)),
    ...projects.map(({ name, org }) =>
      link('Projects', name, 'globe', href('/projects/:name', { name }), org ?? undefined),
    ),
    ...pages.map(([label, icon, to]) => link('Pages', label, icon, href(to))),
    ...orgs.map(org => link('Organizations', titleOf(org), 'users', orgPath(org.name))),
    ...actions,
    link('Actions', 'New organization', 'plus', href('/orgs/new')),
  ]
}

type Link = (group: string, label: string, icon: IconName, to: string, note?: string) => Entry

function ofProject(name: string, link: Link): Entry[] {
  const url = siteUrl(name)
  return [
    ...goTo.flatMap(({ label, project }) =>
      project === undefined ? [] : link(name, label, 'screen', href(project, { name })),
    ),
    link(name, 'Git', 'branch', href('/projects/:name/git', { name })),
    link(name, 'Access', 'lock', href('/projects/:name/access', { name })),
    link(name, 'Forms', 'screen', href('/projects/:name/forms', { name })),
    link(name, 'Activity', 'users', href('/projects/:name/activity', { name })),
    {
      ...{ group: name, label: 'Open site', icon: 'arrowUpRight' },
      run: () => void window.open(url, '_blank', 'noreferrer'),
    },
    { group: name, label: 'Copy the URL of the site', icon: 'copy', run: () => void copy(url) },
  ]
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text).then(
    () => notify({ tone: 'ok', text: 'Copied.' }),
    () => notify({ tone: 'error', text: `The browser does not allow copying. The URL is ${text}` }),
  )
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
