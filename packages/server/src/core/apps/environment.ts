// The environment of a server app: the project's variables and those of the platform. It contains nothing of svcd's own
// environment.
import type { Place } from '@svc/contract/environments'
import { nodeOfDeployment } from '@svc/contract/project'
import { Fault } from '../../lib/fault.ts'
import { findStart } from '../../store/apps/instances.ts'
import type { DatabaseParts, Platform, Vault } from '../base/platform.ts'
import { cronSecretOf } from '../crons/secret.ts'
import { databaseAccess } from '../databases/variables.ts'
import { type Command, decodeCommand } from '../deployments/detection.ts'
import { type Framework, frameworkOf } from '../deployments/frameworks.ts'
import { whyNoDatabase } from '../deployments/preview-database.ts'
import { variablesFor } from '../env/values.ts'

/** How an instance of a deployment is started now. */
export interface StartPlan {
  projectId: string
  project: string
  command: Command
  /** The image of its Dockerfile. `undefined` if its files run. */
  image: string | undefined
  /** `undefined` if only a newer version of the platform knows it. */
  framework: Framework | undefined
  /** Runs before the first start. `undefined` if there is none, or if it has run. */
  release: Command | undefined
  /** Fills the new database and the new disk of a preview. `undefined` if there is none, and for production. */
  seed: { command: Command; branch: string } | undefined
  env: Record<string, string>
  /** The directory of sockets that it may connect to. */
  socket: { dir: string; at: string } | undefined
  /** The version of Node that it asks for. `undefined` if it asks for none. */
  node: string | undefined
  /** Why it cannot start. */
  problem?: string
  /** Goes into its log. */
  warning: string | undefined
}

/** `undefined` if the deployment is gone or is not a server. */
export async function planStart(
  platform: DatabaseParts & Pick<Platform, 'nodeVersions'>,
  deploymentId: string,
): Promise<StartPlan | undefined> {
  const row = (await findStart(platform.store.db, deploymentId)).rows[0]
  if (!row?.start_command) return undefined
  const framework = frameworkOf(row.framework)
  // The code of a fork is untrusted and gets no secrets of the project.
  const isTrusted = row.from_fork !== 1
  const access = isTrusted ? await accessOrProblem(platform, row) : undefined
  const database = access instanceof Fault ? undefined : access
  return {
    projectId: row.project_id,
    project: row.project,
    command: inShell(decodeCommand(row.start_command)),
    image: row.image ?? undefined,
    release:
      row.release_command === null || row.released_at !== null
        ? undefined
        : inShell(['/bin/sh', '-c', row.release_command]),
    seed: isTrusted ? seedOf(row) : undefined,
    framework,
    ...nodeToStart(row, platform.nodeVersions),
    ...(access instanceof Fault && { problem: access.message }),
    warning: access ? undefined : await warningOf(platform, row),
    env: {
      NODE_ENV: 'production',
      ...framework?.env,
      ...database?.variables,
      ...(isTrusted ? await secretsOf(platform, row) : {}),
      SVC_PROJECT: row.project,
      SVC_DEPLOYMENT_ID: deploymentId,
    },
    socket: database?.socket,
  }
}

/** The live deployment is production, also if it was made for a branch. */
const warningOf = async (
  { store, databases }: DatabaseParts,
  start: Awaited<ReturnType<typeof findStart>>['rows'][0],
) => (databases && start.id !== start.active_deployment_id ? await whyNoDatabase(store.db, start) : undefined)

async function accessOrProblem(platform: DatabaseParts, start: StartedDeployment) {
  try {
    return await databaseAccess(platform, start.project_id, placeOfStart(start))
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}

function nodeToStart(
  { node_asked: asked, node_version: version }: { node_asked: string | null; node_version: string | null },
  versions: Platform['nodeVersions'],
): Pick<StartPlan, 'node' | 'problem'> {
  if (asked === null) return { node: undefined }
  const choice = nodeOfDeployment({ asked, version }, versions)
  return 'problem' in choice ? { node: undefined, problem: choice.problem } : { node: choice.version }
}

/** A variable of the project cannot replace the secret of its scheduled jobs. */
async function secretsOf(platform: Vault, start: StartedDeployment): Promise<Record<string, string>> {
  return {
    ...(await variablesFor(platform, start.project_id, placeOfStart(start), 'runtime')),
    SVC_CRON_SECRET: (await cronSecretOf(platform, start.project_id)).reveal(),
  }
}

function seedOf(start: StartedDeployment & { seed_command: string | null }): StartPlan['seed'] {
  const { environment, branch } = placeOfStart(start)
  if (environment === 'production' || !branch || start.seed_command === null) return undefined
  return { command: inShell(['/bin/sh', '-c', start.seed_command]), branch }
}

interface StartedDeployment {
  id: string
  project_id: string
  active_deployment_id: string | null
  git_branch: string | null
}

/** The live deployment is production, also if it was made for a branch and promoted. */
const placeOfStart = ({ id, active_deployment_id, git_branch }: StartedDeployment): Place =>
  git_branch === null || id === active_deployment_id
    ? { environment: 'production' }
    : { environment: 'preview', branch: git_branch }

/**
 * A user's own command runs in a shell, with `node_modules/.bin` in PATH as in `npm run`. A server alone takes the place of the
 * shell, which would write "Terminated" to the log when the server is stopped. Another shell waits for its programs after
 * SIGTERM. Otherwise it would end at once, and the programs would have no time to shut down.
 */
export function inShell(command: Command): Command {
  const [shell, flag, line = ''] = command
  if (shell !== '/bin/sh' || flag !== '-c') return command
  const [, assignments, server] = serverAlone.exec(line) ?? []
  const start = server ? `${assignments}exec ${server}` : `trap 'exit 143' TERM\n${line}`
  return [shell, flag, `PATH="$PWD/node_modules/.bin:$PATH"\n${start}`]
}

/** Variables, and one program that is a server, in words that mean nothing else to the shell. */
const serverAlone =
  /^((?:[A-Z_]+=[\w@%+:,./-]* )*)((?:node|next|react-router-serve|remix-serve|fastify)(?: [\w@%+=:,./-]+)*)$/
