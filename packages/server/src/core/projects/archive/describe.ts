// Describes a project for its archive. Values are in clear, because another platform has other keys.

import { findPreviewAccess } from '../../../store/access/previews.ts'
import { listCrons } from '../../../store/crons/crons.ts'
import { findProductionLock } from '../../../store/deployments/production-locks.ts'
import { deploymentsOf } from '../../../store/deployments/stored.ts'
import { listDomains } from '../../../store/domains/domains.ts'
import { listEnvRows } from '../../../store/env/env.ts'
import { listForms } from '../../../store/forms/forms.ts'
import { findAccountById } from '../../../store/identity/accounts.ts'
import { findOrgById } from '../../../store/orgs/orgs.ts'
import { findProjectNode } from '../../../store/projects/nodes.ts'
import { findRetention } from '../../../store/projects/retention.ts'
import type { DeploymentRow, ProjectRow } from '../../../store/tables.ts'
import type { Vault } from '../../base/platform.ts'
import { decodeCommand } from '../../deployments/detection.ts'
import { openValues } from '../../env/values.ts'
import type { ArchivedDeployment, ProjectDescription } from './shape.ts'

/** The deployments of Dockerfiles are left out: what runs is an image, which is not among their files. */
export async function describeForArchive(
  platform: Vault,
  project: ProjectRow,
): Promise<{ description: ProjectDescription; withImage: number }> {
  const { db } = platform.store
  const env = await listEnvRows(db, project.id)
  const values = openValues(platform, env)
  const previews = await findPreviewAccess(db, project.id)
  const deployments = await deploymentsOf(db, project.id)
  const withFiles = deployments.filter(({ image }) => image === null)
  const owner = project.org_id
    ? (await findOrgById(db, project.org_id))?.name
    : (await findAccountById(db, project.account_id ?? ''))?.login
  const { production_count, preview_days } = await findRetention(db, project.id)
  const description: ProjectDescription = {
    name: project.name,
    owner: owner ?? '',
    created_at: project.created_at,
    access: {
      mode: project.access_mode,
      password_hash: project.password_hash,
      previews: previews ? { mode: previews.mode, password_hash: previews.password_hash } : null,
    },
    retention: { production_count, preview_days },
    node: await findProjectNode(db, project.id),
    deployments: withFiles.map(describe),
    env: env.map(({ key, environment, branch, scope, secret, updated_at }, i) => ({
      ...{ key, value: values[i]!, environment, branch, scope },
      ...{ secret: secret === 1, updated_at },
    })),
    domains: (await listDomains(db, project.id)).map(({ domain, branch, redirect_to, is_primary }) => ({
      ...{ domain, branch, redirect_to, primary: is_primary === 1 },
    })),
    forms: (await listForms(db, project.id)).map(({ name, notify, retention_days }) => ({
      ...{ name, notify, retention_days },
    })),
    crons: (await listCrons(db, project.id)).map(({ schedule, path, method, enabled }) => ({
      ...{ schedule, path, method, enabled: enabled === 1 },
    })),
    production_locked_at: (await findProductionLock(db, project.id))?.locked_at ?? null,
    repository: null,
  }
  return { description, withImage: deployments.length - withFiles.length }
}

const describe = (row: DeploymentRow): ArchivedDeployment => ({
  id: row.id,
  // `stored` has no others.
  status: row.status as ArchivedDeployment['status'],
  kind: row.kind,
  created_at: row.created_at,
  finished_at: row.finished_at,
  superseded_at: row.superseded_at,
  released_at: row.released_at,
  git_sha: row.git_sha,
  commit_message: row.commit_message,
  commit_author: row.commit_author,
  git_branch: row.git_branch,
  at_branch: row.branch_slug !== null,
  from_fork: row.from_fork === 1,
  cli_version: row.cli_version,
  warnings: JSON.parse(row.warnings) as string[],
  framework: row.framework,
  start_command: row.start_command === null ? null : [...decodeCommand(row.start_command)],
  release_command: row.release_command,
  node_asked: row.node_asked,
  node_version: row.node_version,
})
