// Deploys a built directory to the project. With --build it builds the project first.
import { resolve } from 'node:path'
import type { Run } from '../../command.ts'
import { requireToken } from '../../credentials.ts'
import { diskSetting, releaseSetting, requireProject, seedSetting } from '../../link.ts'
import { bold, clean, cyan, dim, notice, print, printJson, warn } from '../../output.ts'
import { canAsk } from '../../prompt.ts'
import { required } from '../../session.ts'
import { type BuiltSite, buildSite } from '../../site/build.ts'
import { BuildFirst } from '../../site/check.ts'
import { nodeOutside } from '../../site/node.ts'
import { type Published, publish } from '../../site/publish.ts'
import { prepareFirstDeploy } from './first-deploy.ts'
import { ensureDisk } from './needed-disk.ts'

export const deploy: Run = async (input): Promise<void> => {
  const { json, yes, build } = input.options
  if (canAsk() && !json && !yes)
    await prepareFirstDeploy(input.options, build ? undefined : (input.args[0] ?? '.'))
  try {
    await deployFolder(input)
  } catch (error) {
    if (!(error instanceof BuildFirst)) throw error
    await deployFolder({ ...input, options: { ...input.options, build: true } })
  }
}

const deployFolder: Run = async ({ args: [asked], options }) => {
  const params = { name: requireProject(options) }
  const { folder: dir, needsModules, packages } = await chooseFolder(asked, options.build)
  const { branch } = options
  const node = await nodeOutside(dir)
  const query = {
    branch,
    node,
    release: releaseSetting(),
    ...(branch !== undefined && { seed: seedSetting() }),
  }
  const to = { endpoint: 'POST /projects/:name/deployments', params, query } as const
  const intent = {
    command: 'svc deploy',
    options: [
      ...(options.project ? ['--project', options.project] : []),
      ...(branch === undefined ? [] : ['--branch', branch]),
    ],
    extent: { nodeModules: options['node-modules'] ?? needsModules },
    replaces: branch === undefined,
    mayBuild: !options.build && resolve(asked ?? '.') === process.cwd(),
    yes: options.yes ?? false,
  }
  // With --node-modules, all packages are in the directory.
  const added = options['node-modules'] ? undefined : packages
  const disk = branch === undefined ? diskSetting() : undefined
  const diskWarning = disk && (await ensureDisk(params.name, disk))
  const { answer, contents, took, warnings } = await publish(dir, to, intent, added)
  if (options.json) printJson(answer)
  else printDeployment(answer, branch, `${contents}, in ${took}`)
  // Last, so that whoever reads the end of a log sees them.
  for (const warning of [...warnings, ...(diskWarning ? [diskWarning] : [])]) warn(warning)
}

function printDeployment(
  answer: Published<'POST /projects/:name/deployments'>['answer'],
  branch: string | undefined,
  contents: string,
): void {
  const id = required(answer, 'deployment_id')
  const state = branch === undefined ? 'is live' : `is the preview of the branch ${bold(clean(branch))}`
  print(`${bold(id)} ${state}: ${contents}.`)
  if (answer.framework) print(`server: ${answer.framework}`)
  // Scripts find one URL in the output, alone on the last line. People see the permanent one, too.
  if (answer.permanent_url && process.stdout.isTTY)
    print(dim(`Permanent URL: ${clean(answer.permanent_url)}`))
  if (answer.url) print(cyan(answer.url))
  if (branch !== undefined) notice(`To make it live: svc promote ${clean(id)}`)
}

async function chooseFolder(asked: string | undefined, build: boolean | undefined): Promise<BuiltSite> {
  if (!build) return { folder: asked ?? '.', needsModules: false }
  // Fails before the build, and not after it.
  requireToken()
  return await buildSite(asked)
}
