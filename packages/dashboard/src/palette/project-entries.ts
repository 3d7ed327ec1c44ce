// What the command palette offers for the project whose page is open: its pages, what can be done with it, its deployments.
import type { Deployment, ProjectDetail } from '@svc/contract'
import { call } from '../api.ts'
import { notify } from '../components/toasts.tsx'
import { siteUrl } from '../config.ts'
import { shortSha } from '../format.ts'
import { startBuild } from '../pages/builds/builds.ts'
import { rollBack } from '../pages/projects/project/detail.ts'
import { href } from '../paths.ts'
import { withAdd } from '../use-add-in-url.ts'
import { complain } from '../use-work.ts'
import type { Entry, Link } from './entry.ts'
import { goTo } from './shortcuts.ts'

type Navigate = (path: string) => void

export function entriesOfProject(
  name: string,
  project: ProjectDetail | undefined,
  link: Link,
  navigate: Navigate,
): Entry[] {
  const url = siteUrl(name)
  return [
    ...goTo.flatMap(({ label, project }) =>
      project === undefined ? [] : link(name, label, 'screen', href(project, { name })),
    ),
    link(name, 'Git', 'branch', href('/projects/:name/git', { name })),
    link(name, 'Access', 'lock', href('/projects/:name/access', { name })),
    link(name, 'Metrics', 'screen', href('/projects/:name/metrics', { name })),
    link(name, 'Storage', 'screen', href('/projects/:name/storage', { name })),
    link(name, 'Forms', 'screen', href('/projects/:name/forms', { name })),
    link(name, 'Activity', 'users', href('/projects/:name/activity', { name })),
    {
      ...{ group: name, label: 'Open site', icon: 'arrowUpRight' },
      run: () => void window.open(url, '_blank', 'noreferrer'),
    },
    { group: name, label: 'Copy the URL of the site', icon: 'copy', run: () => void copy(url) },
    link(name, 'Add a domain', 'plus', withAdd(href('/projects/:name/domains', { name }))),
    link(name, 'Add a variable', 'plus', withAdd(href('/projects/:name/environment', { name }))),
    ...(project ? [...actionsOn(project, navigate), ...deploymentsOf(project, link)] : []),
  ]
}

function actionsOn(project: ProjectDetail, navigate: Navigate): Entry[] {
  const { name, repo, app } = project
  const before = liveBefore(project)
  const entries: Entry[] = []
  if (before)
    entries.push({
      ...{
        group: name,
        label: 'Roll back to the deployment before',
        note: before.id,
        icon: 'rollback',
      },
      run: () => void rollBack(name, before.id),
    })
  if (repo)
    entries.push({
      ...{ group: name, label: 'Build the newest commit', note: repo.branch, icon: 'branch' },
      run: () => void build(name, navigate).catch(complain),
    })
  if (app)
    entries.push({
      ...{ group: name, label: 'Restart the app', icon: 'rollback' },
      run: () => void restart(name).catch(complain),
    })
  return entries
}

/** The newest deployment that was live before the present one. */
function liveBefore({ deployments, active_deployment_id: live }: ProjectDetail): Deployment | undefined {
  const at = deployments.findIndex(({ id }) => id === live)
  return at === -1 ? undefined : deployments.slice(at + 1).find(({ status }) => status === 'superseded')
}

async function build(name: string, navigate: Navigate): Promise<void> {
  const { id } = await startBuild(name)
  navigate(href('/projects/:name/git/:build', { name, build: id }))
}

async function restart(name: string): Promise<void> {
  await call('POST /projects/:name/restart', { params: { name } })
  notify({ tone: 'ok', text: 'The app restarts. Visitors notice nothing.' })
}

/** A deployment is found by the message of its commit, its id, its commit and its branch. */
const deploymentsOf = ({ name, deployments }: ProjectDetail, link: Link): Entry[] =>
  deployments.map(({ id, git_branch, git_sha, commit_message }) => {
    const to = href('/projects/:name/deployments/:deployment', { name, deployment: id })
    const message = commit_message?.split('\n')[0]
    const more = [id, git_branch, git_sha].filter(word => word != null)
    const note = [message && id, git_branch, git_sha && shortSha(git_sha)].filter(Boolean).join(' ')
    return { ...link('Deployments', message || id, 'upload', to, note), more }
  })

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text).then(
    () => notify({ tone: 'ok', text: 'Copied.' }),
    () => notify({ tone: 'error', text: `The browser does not allow copying. The URL is ${text}` }),
  )
}
