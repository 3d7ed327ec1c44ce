// The Node of a build: which one the project asks for, and which one its commands get.
import { type BuildPlan, chooseNode, type NodeRequest, nodeAskedIn } from '@svc/contract/project'
import { diskFiles } from '@svc/contract/project/disk'
import { settingsFile } from '@svc/contract/site'
import { readSettings } from '../core/builds/settings.ts'
import { nodeOfSettings } from '../core/deployments/node.ts'
import { BuildFailed, type Job } from './job.ts'

interface BuildNode {
  asked: NodeRequest | undefined
  /** What the commands get. `undefined` if the project asks for none, or if there are no commands. */
  node: string | undefined
  /** The version that builds it, if it is known. */
  builtWith: string | undefined
}

/** Fails the build if the platform has no such version. Without commands, only a server needs one, and its deploy says so. */
export async function nodeOfBuild({ parts, project, dir, log }: Job, plan: BuildPlan): Promise<BuildNode> {
  const { store, nodeVersions } = parts.platform
  const asked = (await nodeOfSettings(store.db, project.id)) ?? (await askedByFiles(dir, plan))
  if (!plan.install && !plan.build) return { asked, node: undefined, builtWith: undefined }
  const choice = chooseNode(asked, nodeVersions)
  if ('problem' in choice) throw new BuildFailed(choice.problem)
  log.line(choice.words)
  return { asked, node: asked && choice.version, builtWith: choice.version }
}

async function askedByFiles(dir: string, plan: BuildPlan): Promise<NodeRequest | undefined> {
  const files = diskFiles(dir)
  const { node } = await readSettings(files, plan.dir)
  return node === undefined ? await nodeAskedIn(files, plan.dir) : { range: node, from: settingsFile }
}
