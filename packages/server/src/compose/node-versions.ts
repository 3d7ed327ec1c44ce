// Which versions of Node builds and apps can get: those of this machine, or the images of the container engine.
import type { NodeVersions } from '@svc/contract/project'
import type { Logger } from 'pino'
import type { Settings } from '../config.ts'
import { nodeOfImage } from '../ports/app-runtime/docker/node-images.ts'
import type { AppRuntime } from '../ports/app-runtime/port.ts'
import { findNodeInstalls, type NodeInstall } from '../ports/app-runtime/process/node-installs.ts'
import { engineAnswers } from './apps.ts'

export const noNodeVersions: NodeVersions = { standard: undefined, all: [] }

/** Looks for them on this machine, and asks each for its version. */
export async function openNodeInstalls(settings: Settings, log: Logger): Promise<readonly NodeInstall[]> {
  const { installs, warnings } = await findNodeInstalls(settings.nodeDir)
  for (const warning of warnings) log.warn(warning)
  if (settings.nodeDir !== undefined)
    log.info({ versions: installs.map(({ version }) => version) }, 'found versions of Node')
  return installs
}

/** A process without a runtime, such as one that serves the API alone, goes by the settings. */
export async function nodeVersionsOf(
  settings: Settings,
  installs: readonly NodeInstall[],
  runtime: AppRuntime | undefined,
): Promise<NodeVersions> {
  const driver = runtime?.driver ?? settings.runner
  const isProcess = driver === 'process' || (driver === 'auto' && !(await engineAnswers(settings.dockerHost)))
  const all = isProcess
    ? installs.map(({ version }) => version)
    : [settings.runtimeImage, ...settings.nodeImages].flatMap(image => nodeOfImage(image)?.version ?? [])
  const standard = isProcess ? all[0] : nodeOfImage(settings.runtimeImage)?.version
  return { standard, all: [...new Set(all)] }
}
