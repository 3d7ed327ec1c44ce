// Deploys a built directory to the project. With --build it builds the project first.
import type { Run } from '../../command.ts'
import { requireToken } from '../../credentials.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, cyan, dim, notice, print, printJson, warn } from '../../output.ts'
import { required } from '../../session.ts'
import { type BuiltSite, buildSite } from '../../site/build.ts'
import { publish } from '../../site/publish.ts'

export const deploy: Run = async ({ args: [asked], options }) => {
  const params = { name: requireProject(options) }
  const { folder: dir, needsModules, packages } = await chooseFolder(asked, options.build)
  const { branch } = options
  const to = { endpoint: 'POST /projects/:name/deployments', params, query: { branch } } as const
  const intent = {
    command: 'svc deploy',
    options: [
      ...(options.project ? ['--project', options.project] : []),
      ...(branch === undefined ? [] : ['--branch', branch]),
    ],
    extent: { nodeModules: options['node-modules'] ?? needsModules },
    replaces: branch === undefined,
    yes: options.yes ?? false,
  }
  // With --node-modules, all packages are in the directory.
  const added = options['node-modules'] ? undefined : packages
  const { answer, contents, took } = await publish(dir, to, intent, added)
  for (const warning of answer.warnings ?? []) warn(warning)
  if (options.json) return printJson(answer)
  const id = required(answer, 'deployment_id')
  const state = branch === undefined ? 'is live' : `is the preview of the branch ${bold(clean(branch))}`
  print(`${bold(id)} ${state}: ${contents}, in ${took}.`)
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
