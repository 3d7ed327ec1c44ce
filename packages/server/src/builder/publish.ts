// The last step of a build: deploys its output, unless the build was cancelled meanwhile.
import type { Readable } from 'node:stream'
import {
  type BuildPlan,
  below,
  describeSources,
  findOutput,
  isPresent,
  isUnclear,
  type Output,
  type ProjectFiles,
  readStart,
} from '@svc/contract/project'
import { completeServer, diskFiles, inside } from '@svc/contract/project/disk'
import { deploy } from '../core/deployments/deployments.ts'
import { Fault } from '../lib/fault.ts'
import type { AppImage } from '../ports/app-images/port.ts'
import { notePublished } from '../store/builds/builds.ts'
import { findAccountById } from '../store/identity/accounts.ts'
import { findProjectWithOrg } from '../store/projects/projects.ts'
import type { Tx } from '../store/store.ts'
import type { RunStep } from './install.ts'
import { BuildFailed, type Job, timed } from './job.ts'
import { publishedExtent } from './output-files.ts'
import { packFolder, shortened } from './pack.ts'
import { addPackages } from './server-packages.ts'
import { completeSinglePage } from './single-page.ts'

/** The build was cancelled or taken over by another builder before it published anything. */
export class NotWanted extends Fault {}

export async function publish(job: Job, plan: BuildPlan, run: RunStep): Promise<void> {
  const { build, log } = job
  const files = diskFiles(job.dir)
  const found = await findOutput(files, plan)
  // A build may have replaced its output folder by a symbolic link.
  if (!found || (found.dir !== '' && !(await files.hasFolder(found.dir))))
    throw new BuildFailed(withoutOutput(plan))
  await refuseSources(files, plan, found)
  const output = await addPackages(job, plan, found, run)
  const dir = await inside(job.dir, output.dir)
  await completeServer(job.dir, plan, output)
  const deployed = await timed(log, `Deploying ${output.dir || 'the repository'}`, async () => {
    const extent = await publishedExtent(files, plan, output)
    await completeSinglePage(job, plan, output, { dir, extent })
    const packed = await packFolder(dir, `${job.dir}.links`, extent)
    // Ends tar if the archive was not read to its end, for example because the build was cancelled.
    const deployed = await deployBuild(job, packed.archive).finally(() => packed.archive.destroy())
    const lost = deployed.kind === 'server' ? [] : shortened(packed.links.map(leftOut))
    for (const warning of [...packed.warnings, ...lost, ...deployed.warnings]) log.line(`Warning: ${warning}`)
    return deployed
  })
  log.line(`\n${whereItIs(build, deployed)}`)
}

/** While production is locked, a deployment is only at its permanent URL. The warning says why. */
export const whereItIs = (
  { is_production }: Job['build'],
  { url, permanent_url }: { url: string; permanent_url: string },
): string =>
  is_production === 0 ? `Preview: ${url}` : url === permanent_url ? `Not live: ${url}` : `Live: ${url}`

const leftOut = (link: string): string =>
  `The link ${link} is left out: a static site has no symbolic links. Put a copy of the file there.`

const nameOutput =
  'Name it in svc.json ("output": "<folder>"), or with svc git connect <owner/repo> --output <folder>'

const withoutOutput = ({ output, frameworks }: BuildPlan): string =>
  output
    ? `The build made no folder '${output.folder}' (${output.from}). Correct the name, or the build command.`
    : `The build made no folder that can be published. ${frameworks.find(({ hint }) => hint)?.hint ?? nameOutput}`

/** Published as they are, sources that nobody can visit would be public, and the front page a 404. */
async function refuseSources(files: ProjectFiles, plan: BuildPlan, output: Output): Promise<void> {
  if (output.dir !== plan.dir || plan.language) return
  const command = await unknownStart(files, plan)
  if (command !== undefined)
    throw new BuildFailed(
      `Nothing was published: package.json starts '${command}', which svc does not know as a server, and there is no index.html at the top level. To start it, add a file Procfile with the line: web: ${command}. To publish the files as they are, add a file svc.json with: {"output": "."}`,
    )
  if (!(await isUnclear(files, plan))) return
  const sources = await describeSources(path => isPresent(files, below(plan.dir, path)))
  if (sources !== undefined)
    throw new BuildFailed(
      `Nothing was published: there is no index.html at the top level, and no build script makes one. ${sources}`,
    )
}

/** The start script that nothing would run, where nothing else says what visitors get. */
async function unknownStart(files: ProjectFiles, plan: BuildPlan): Promise<string | undefined> {
  const has = (path: string) => isPresent(files, below(plan.dir, path))
  const start = plan.manifest && (await readStart(plan.manifest, has))
  if (start?.starts !== 'unknown' || plan.output) return undefined
  const others = await Promise.all(['Procfile', 'index.html', '_redirects'].map(has))
  return others.some(Boolean) ? undefined : start.command.slice(0, 200)
}

/** Deploys on behalf of the person who pushed. */
export async function deployBuild(
  { parts, build, nodeOfDeployment, release, seed, signal }: Job,
  archive: Readable,
  image?: AppImage,
) {
  const { db } = parts.platform.store
  const account = build.requested_by && (await findAccountById(db, build.requested_by))
  if (!account) throw new BuildFailed('The account that pushed is gone.')
  // The project may have been transferred during the build.
  const project = await findProjectWithOrg(db, build.project_id)
  if (!project) throw new BuildFailed('The project was deleted.')
  signal.throwIfAborted()
  const { id, login, forge_id: forgeId } = account
  const caller = { account: { id, login, forgeId, isAdmin: account.is_admin === 1 }, ip: 'build' }
  const upload = {
    project,
    branch: build.is_production === 1 ? undefined : build.branch,
    fromFork: build.from_fork === 1,
    gitSha: build.commit_sha,
    cliVersion: undefined,
    isAutomatic: build.asked_for === 0,
    ...nodeOfDeployment,
    image,
    release,
    seed,
    inTransaction: async (tx: Tx, deploymentId: string) => {
      if (!(await notePublished(tx, build, deploymentId)))
        throw new NotWanted('build_finished', 'The build was cancelled.')
    },
  }
  return await deploy(parts.platform, caller, upload, archive)
}
