// The branches of a project: what each shows where, and how its last build went.
import type { Branch, ProjectDetail } from '@svc/contract'
import { useState } from 'react'
import { Link } from 'wouter'
import { call } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Command } from '../../components/copy.tsx'
import { Empty } from '../../components/empty.tsx'
import { Icon } from '../../components/icon.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Section } from '../../components/section.tsx'
import { TimeAgo } from '../../components/time-ago.tsx'
import { href } from '../../paths.ts'
import { useResource } from '../../resource.ts'
import { PromoteDialog } from '../deployments/promote-dialog.tsx'
import styles from './branches.module.css'
import { BuildStatusBadge } from './build-status.tsx'

interface BranchesProps {
  project: ProjectDetail
  /** Of the production branch. */
  production: string
}

export function Branches({ project, production }: BranchesProps) {
  const { name } = project
  const resource = useResource(
    `branches of ${name}`,
    () => call('GET /projects/:name/branches', { params: { name } }),
    { project: name, topics: ['build', 'project'] },
  )
  const [promoting, setPromoting] = useState<Branch>()
  return (
    <Section title="Branches" lead="Every branch that you push gets a URL of its own.">
      <Loaded resource={resource} rows={2} label="Loading branches">
        {({ branches }) => (
          <>
            <Rows columns="minmax(0, 1fr) 11rem 7rem" end="side">
              {branches.map(branch => (
                <BranchRow
                  key={branch.branch}
                  project={name}
                  branch={branch}
                  isLive={branch.deployment_id === project.active_deployment_id}
                  onPromote={() => setPromoting(branch)}
                />
              ))}
            </Rows>
            {branches.length < 2 && (
              <div className={styles.teaching}>
                <Empty>
                  <p>No previews yet. Push another branch, and look at it before it goes to {production}:</p>
                  <Command>git push svc HEAD:my-change</Command>
                </Empty>
              </div>
            )}
          </>
        )}
      </Loaded>
      {promoting?.deployment_id && (
        <PromoteDialog
          project={project}
          deployment={{ id: promoting.deployment_id, git_branch: promoting.branch }}
          onClose={() => setPromoting(undefined)}
        />
      )}
    </Section>
  )
}

interface BranchRowProps {
  project: string
  branch: Branch
  isLive: boolean
  onPromote: () => void
}

function BranchRow({
  project,
  branch: { branch, production, url, build, deployed_at, ...of },
  isLive,
  onPromote,
}: BranchRowProps) {
  return (
    <Row>
      <div>
        <p className={styles.name}>
          <Icon name="branch" size={14} /> {branch}
          {production && <span className={styles.mark}>Production</span>}
        </p>
        {url ? (
          <a href={url} target="_blank" rel="noreferrer" className={styles.url}>
            {url.replace(/^https?:\/\//, '')}
          </a>
        ) : (
          <p className={styles.soft}>Not deployed</p>
        )}
        {/* A domain may have no DNS records yet. Its own page says so, and has its URL. */}
        {of.domains.map(domain => (
          <Link key={domain} href={href('/projects/:name/domains', { name: project })} className={styles.url}>
            {domain}
          </Link>
        ))}
      </div>
      <div className={styles.build}>
        {build ? (
          <Link
            href={href('/projects/:name/git/:build', { name: project, build: build.id })}
            className={styles.status}
          >
            <BuildStatusBadge status={build.status} />
          </Link>
        ) : (
          <span className={styles.soft}>Not built</span>
        )}
        {deployed_at && (
          <span className={styles.soft}>
            Deployed <TimeAgo at={deployed_at} />
          </span>
        )}
      </div>
      <div>
        {!production && of.deployment_id && !isLive && (
          <Button size="small" icon="upload" aria-label={`Promote ${branch}`} onClick={onPromote}>
            Promote
          </Button>
        )}
      </div>
    </Row>
  )
}
