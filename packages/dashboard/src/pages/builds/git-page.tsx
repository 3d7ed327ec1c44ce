// The repository of a project: how to push to it, how it is built, and its builds.
import type { Build, Forge, ProjectDetail, Repo } from '@svc/contract'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { usePolling } from '../../changes.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Empty } from '../../components/empty.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MoreButton } from '../../components/more-button.tsx'
import { Row, RowLink, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { TimeAgo, useNow } from '../../components/time-ago.tsx'
import { notify } from '../../components/toasts.tsx'
import { shortSha } from '../../format.ts'
import { href } from '../../paths.ts'
import { session } from '../../session.ts'
import { useWork } from '../../use-work.ts'
import { ProjectLayout } from '../projects/project/project-layout.tsx'
import { Branches } from './branches.tsx'
import { BuildStatusBadge } from './build-status.tsx'
import styles from './builds.module.css'
import { buildsOf, disconnectRepo, duration, isUnderWay, startBuild, useRepo } from './builds.ts'
import { ConnectDialog } from './connect-form.tsx'
import { DeployHooks } from './hooks.tsx'
import { PublicNote } from './public-note.tsx'
import { PushCard } from './push-card.tsx'

const lookEveryMs = 2_000

export function GitPage() {
  return <ProjectLayout tab="Git">{project => <Git project={project} />}</ProjectLayout>
}

function Git({ project }: { project: ProjectDetail }) {
  const resource = useRepo(project.name)
  const [asking, setAsking] = useState<'connect' | 'disconnect'>()
  const close = () => setAsking(undefined)
  const current = session.use()
  const owner = project.org ?? (current.state === 'signed in' ? current.account.gitforge_login : '')
  return (
    <div className={styles.page}>
      <Loaded resource={resource} rows={3} label="Loading the repository">
        {repo => (
          <>
            {repo ? (
              <Connected
                project={project}
                repo={repo}
                onChange={() => setAsking('connect')}
                onDisconnect={() => setAsking('disconnect')}
              />
            ) : (
              <None onConnect={() => setAsking('connect')} />
            )}
            {repo && (
              <>
                <Builds project={project.name} repo={repo} />
                <Branches project={project} production={repo.branch} />
                <DeployHooks project={project.name} repo={repo} />
              </>
            )}
            {asking === 'connect' && (
              <ConnectDialog
                project={project.name}
                suggestion={`${owner}/${project.name}`}
                repo={repo}
                onClose={close}
              />
            )}
            {asking === 'disconnect' && repo && (
              <DisconnectDialog project={project.name} repo={repo} onClose={close} />
            )}
          </>
        )}
      </Loaded>
    </div>
  )
}

function None({ onConnect }: { onConnect: () => void }) {
  return (
    <Empty>
      <p>
        No repository is connected. With one, every push is built and deployed: the production branch as the
        site, other branches as previews.
      </p>
      <div>
        <Button look="primary" icon="branch" onClick={onConnect}>
          Connect a repository
        </Button>
      </div>
    </Empty>
  )
}

interface ConnectedProps {
  project: ProjectDetail
  repo: Repo
  onChange: () => void
  onDisconnect: () => void
}

const hosts: Record<Forge, string> = {
  builtin: '',
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea',
  public: 'Public repository',
}

function Connected({ project, repo, onChange, onDisconnect }: ConnectedProps) {
  const facts = [
    ...(hosts[repo.forge ?? 'builtin'] ? [{ label: 'Git host', value: hosts[repo.forge ?? 'builtin'] }] : []),
    { label: 'Production branch', value: repo.branch },
    { label: 'Previews', value: repo.previews ? 'Every other branch' : 'Off' },
    ...(repo.root_dir ? [{ label: 'Folder', value: repo.root_dir }] : []),
    ...(repo.install_cmd ? [{ label: 'Install command', value: repo.install_cmd }] : []),
    ...(repo.build_cmd ? [{ label: 'Build command', value: repo.build_cmd }] : []),
    ...(repo.output_dir ? [{ label: 'Output folder', value: repo.output_dir }] : []),
  ]
  return (
    <Section
      title={repo.repo}
      lead={repo.forge === 'public' ? undefined : 'Pushes to the production branch go live.'}
      actions={
        <>
          <Button onClick={onChange}>Build settings</Button>
          <Button onClick={onDisconnect}>Disconnect</Button>
        </>
      }
    >
      <div className={styles.stack}>
        <Facts facts={facts} />
        <PushCard project={project} repo={repo} />
        {repo.forge === 'public' && <PublicNote repo={repo} />}
      </div>
    </Section>
  )
}

function Builds({ project, repo }: { project: string; repo: Repo }) {
  const list = buildsOf(project)
  const resource = list.use()
  const [, navigate] = useLocation()
  const { busy, run } = useWork()
  const anyUnderWay = resource.data?.rows.some(isUnderWay) ?? false
  const { refresh } = resource
  usePolling(anyUnderWay, refresh, lookEveryMs)

  async function start() {
    const { id } = await startBuild(project)
    navigate(href('/projects/:name/git/:build', { name: project, build: id }))
  }

  return (
    <Section
      title="Builds"
      actions={
        <Button busy={busy} onClick={() => run(start)}>
          Build {repo.branch} now
        </Button>
      }
    >
      <Loaded resource={resource} rows={3} label="Loading builds">
        {page =>
          page.rows.length === 0 ? (
            <Empty>
              <p>No builds yet. The first push starts one; the commands above do it.</p>
            </Empty>
          ) : (
            <>
              <Rows columns="7rem minmax(0, 1fr) 9rem" end="below">
                {page.rows.map(build => (
                  <BuildRow key={build.id} project={project} build={build} />
                ))}
              </Rows>
              <MoreButton list={list} shown={page} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function BuildRow({ project, build }: { project: string; build: Build }) {
  const now = useNow()
  return (
    <Row opens>
      <BuildStatusBadge status={build.status} />
      <div>
        <RowLink href={href('/projects/:name/git/:build', { name: project, build: build.id })}>
          {(build.commit_message ?? '').split('\n')[0] || build.id}
        </RowLink>
        <p className={styles.details}>
          {build.branch} · {shortSha(build.commit_sha ?? '')}
          {build.author && ` · ${build.author}`}
        </p>
      </div>
      <div className={styles.when}>
        <TimeAgo at={build.created_at} />
        <br />
        {build.position === undefined ? duration(build, now) : `Place ${build.position} in the queue`}
      </div>
    </Row>
  )
}

function DisconnectDialog({ project, repo, onClose }: { project: string; repo: Repo; onClose: () => void }) {
  async function run() {
    await disconnectRepo(project)
    notify({ tone: 'ok', text: `${repo.repo} was disconnected.` })
  }
  return (
    <ConfirmDialog
      title="Disconnect the repository?"
      action="Disconnect"
      keep="Keep it"
      run={run}
      onClose={onClose}
    >
      <p>
        Pushes to <code>{repo.repo}</code> build nothing any more. The site, its deployments and the
        repository stay as they are.
      </p>
    </ConfirmDialog>
  )
}
