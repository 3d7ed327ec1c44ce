// A build with a Dockerfile: the container engine makes an image, and the image is the deployment.
import { copyFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatBytes } from '@svc/contract/bytes'
import {
  type BuildPlan,
  below,
  declaredArgs,
  fetchingInstruction,
  findDockerfile,
  imageById,
  type ProjectFiles,
} from '@svc/contract/project'
import { diskFiles, inside } from '@svc/contract/project/disk'
import { readSettings } from '../core/builds/settings.ts'
import { requireDisk } from '../core/deployments/storage-room.ts'
import { type AppImage, type AppImages, ImageNotBuilt } from '../ports/app-images/port.ts'
import { packContext } from './image-context.ts'
import { BuildFailed, type Job, timed } from './job.ts'
import { packFolder } from './pack.ts'
import { deployBuild, whereItIs } from './publish.ts'

/** How often the free room of the disk is compared with the reserve: the engine limits no disk. */
const lookEveryMs = 1_000

/** The Dockerfile that svc.json names, or the one that nothing else takes the place of. */
export async function dockerfileOf(files: ProjectFiles, plan: BuildPlan): Promise<string | undefined> {
  const { dockerfile: chosen } = await readSettings(files, plan.dir)
  if (chosen !== undefined && !(await files.hasFile(below(plan.dir, chosen))))
    throw new BuildFailed(
      `There is no file '${chosen}' ("dockerfile" in svc.json). Correct the name, then push again.`,
    )
  return chosen ?? (await findDockerfile(files, plan))
}

export async function publishImage(
  job: Job,
  plan: BuildPlan,
  dockerfile: string,
  platformEnv: Record<string, string>,
): Promise<void> {
  const { parts, log } = job
  const { images } = parts
  if (typeof images === 'string')
    throw new BuildFailed(
      `This repository has a Dockerfile, and this platform cannot build it: ${images} Without an image, a server starts with a file Procfile (web: <command>), and a site is published if its files have an index.html.`,
    )
  const image = await timed(log, `Building ${below(plan.dir, dockerfile)}`, () =>
    buildImage(job, images, { dir: plan.dir, dockerfile, platformEnv }),
  )
  try {
    const deployed = await timed(log, `Deploying an image of ${formatBytes(image.sizeBytes)}`, () =>
      deployImage(job, plan, dockerfile, image),
    )
    for (const warning of deployed.warnings) log.line(`Warning: ${warning}`)
    log.line(`\n${whereItIs(job.build, deployed)}`)
  } catch (error) {
    // The runner removes it later if this fails.
    await images.remove(image.name).catch(() => undefined)
    throw error
  }
}

async function buildImage(
  job: Job,
  images: AppImages,
  { dir, dockerfile, platformEnv }: { dir: string; dockerfile: string; platformEnv: Record<string, string> },
): Promise<AppImage> {
  const { parts, log, build } = job
  const root = await inside(job.dir, dir)
  const text = await diskFiles(root).read(dockerfile)
  if (text === undefined)
    throw new BuildFailed(`${dockerfile} is larger than 1 MB. Shorten it, then push again.`)
  const fetching = fetchingInstruction(text)
  if (fetching !== undefined)
    throw new BuildFailed(
      `${dockerfile} has the line '${fetching}'. The engine would fetch a URL of ADD from the machine's own network, so ADD with a URL or a variable, and ONBUILD, are not allowed. Fetch the file in a RUN instruction, such as with curl, or use COPY.`,
    )
  const declared = declaredArgs(text)
  const args = Object.entries({ ...platformEnv, ...job.env }).filter(([name]) => declared.has(name))
  const byId = imageById(text, Object.fromEntries(args))
  if (byId !== undefined)
    throw new BuildFailed(
      `${dockerfile} has the line '${byId}'. It must name the image, such as node:22-slim, because an id, of which the engine takes a few letters, could be that of somebody else's image. If that is a name, write all of it: docker.io/library/<name>.`,
    )
  const over = new AbortController()
  const diskFull = watchReserve(job, over.signal)
  const signal = AbortSignal.any([job.signal, diskFull])
  try {
    const image = await images.build(
      {
        ...{ dockerfile, args: Object.fromEntries(args), limits: parts.limits },
        context: () => packContext(root, dockerfile),
        // As with other caches, a stranger's build uses nothing of the project's.
        withCache: build.from_fork !== 1,
        output: chunk => log.output(chunk),
      },
      signal,
    )
    if (image.sizeBytes <= parts.diskBytes) return image
    await images.remove(image.name)
    throw new BuildFailed(
      `The image has ${formatBytes(image.sizeBytes)}, and may have ${formatBytes(parts.diskBytes)} (SVCD_BUILD_DISK_MB). Use a smaller base image, or copy only what the app needs into a last stage.`,
    )
  } catch (error) {
    if (diskFull.aborted && !job.signal.aborted) throw new BuildFailed(String(diskFull.reason))
    if (error instanceof ImageNotBuilt)
      throw new BuildFailed(`The image could not be built: ${error.message}`, { cause: error })
    throw error
  } finally {
    over.abort()
  }
}

/** Aborts when the disk of the machine is full up to its reserve. */
function watchReserve({ parts }: Job, until: AbortSignal): AbortSignal {
  const full = new AbortController()
  const look = async () => {
    while (!until.aborted) {
      await requireDisk(parts.platform).catch((error: Error) => full.abort(error.message))
      await sleep(lookEveryMs, undefined, { signal: until, ref: false }).catch(() => undefined)
    }
  }
  void look()
  return full.signal
}

/** The files of the deployment are only its Dockerfile: the engine has the rest. */
async function deployImage(job: Job, plan: BuildPlan, dockerfile: string, image: AppImage) {
  const folder = `${job.dir}.image`
  await mkdir(folder)
  const source = await inside(job.dir, below(plan.dir, dockerfile))
  await copyFile(source, path.join(folder, 'Dockerfile'))
  const { archive } = await packFolder(folder, `${job.dir}.links`, { nodeModules: false })
  return await deployBuild(job, archive, image).finally(() => archive.destroy())
}
