// The order in which test files start: those that take long first, so that none of them is still running alone at the end.
import { BaseSequencer } from 'vitest/node'

/**
 * Files that take longer than their size tells. `.cache/test-times.json` has the times of the last run. Those that need the
 * container engine stand apart: only one at a time has it, and the others would wait for it.
 */
export const slow = [
  'server/dist/ports/app-runtime/docker/runtime',
  'e2e/dist/tour/accessibility',
  'e2e/dist/crash',
  'e2e/dist/roles',
  'e2e/dist/database-away',
  'server/dist/commands/backup/elsewhere',
  'server/dist/commands/backup/repository/repository',
  'server/dist/commands/backup/repository/recipients',
  'server/dist/commands/databases/point-in-time',
  'server/dist/commands/commands',
  'server/dist/runner/switch',
  'e2e/dist/cli-orgs',
  'server/dist/commands/keys',
  'e2e/dist/edge-workers',
  'e2e/dist/restart',
  'e2e/dist/upgrade',
  'e2e/dist/rolling-upgrade',
  'server/dist/commands/users',
  'server/dist/ports/app-runtime/swarm/runtime',
  'server/dist/threads/unpack-memory',
  'e2e/dist/pictures',
  'e2e/dist/release',
  'e2e/dist/server-guide',
  'server/dist/ports/app-runtime/process/runtime',
  'e2e/dist/shares',
  'server/dist/runner/starts',
  'server/dist/ports/packs/s3/packs',
  'server/dist/builder/abandoned',
  'e2e/dist/container',
  'e2e/dist/invoices',
  'e2e/dist/start',
  'server/dist/jobs/worker',
  'e2e/dist/cli',
  'server/dist/runner/nodes',
  'e2e/dist/logs',
  'server/dist/ports/app-runtime/docker/builds',

  'cli/dist/other-versions',
  'server/dist/edge/https/end-of-stream',
  'server/dist/api/build-cache',
  'server/dist/api/github-webhook',
  'server/dist/api/builds',
  'server/dist/api/pushes',
  'server/dist/api/logs',
  'server/dist/api/notifications',
  'server/dist/api/notification-events',
  'server/dist/api/certificates',
  'server/dist/api/certificate-nodes',
  'server/dist/api/git/limits',
  'server/dist/api/billing-mails',
  'server/dist/api/projects-from-git',
].map(name => `/${name}.test.js`)

function rankOf({ moduleId }) {
  const at = slow.findIndex(name => moduleId.endsWith(name))
  return at === -1 ? slow.length : at
}

export class SlowFilesFirst extends BaseSequencer {
  /** Vitest itself goes by the times of the run before, or else by the sizes of the files. */
  async sort(files) {
    const sorted = await super.sort(files)
    // A process is shared by files of one project that follow each other, so the projects stay together.
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const placeOf = ({ project }) => projects.indexOf(project.name)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b) || rankOf(a) - rankOf(b))
  }
}
