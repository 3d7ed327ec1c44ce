// The commands with which a repository that the platform hosts is pushed to. They are the way on after a git-first start.
import type { ProjectDetail, Repo } from '@svc/contract'
import { Link } from 'wouter'
import { Card } from '../../components/card.tsx'
import { Command } from '../../components/copy.tsx'
import { href } from '../../paths.ts'
import styles from './builds.module.css'

/** Nothing for a repository at another host: people push to it as they did before. */
export function PushCard({ project, repo }: { project: ProjectDetail; repo: Repo }) {
  const { clone_url, branch } = repo
  if (!clone_url) return null
  // A push from another history would be refused.
  const hasCommits = project.deployments.some(({ git_sha }) => git_sha)
  const commands = hasCommits
    ? [`git clone ${clone_url}`, `git push origin ${branch}`]
    : [`git remote add svc ${clone_url}`, `git push svc ${branch}`]
  return (
    <Card
      title="Push to deploy"
      lead={
        <>
          git asks for a password: use a{' '}
          <Link href={href('/tokens')} className={styles.link}>
            token
          </Link>
          . The user name does not matter.
        </>
      }
    >
      <div className={styles.commands}>
        {commands.map(command => (
          <Command key={command}>{command}</Command>
        ))}
      </div>
      {!hasCommits && (
        <div className={styles.commands}>
          <p className={styles.details}>
            With svc, this takes the place of the first command and of the token:
          </p>
          <Command>{`svc git connect ${repo.repo} --project ${project.name}`}</Command>
        </div>
      )}
    </Card>
  )
}
