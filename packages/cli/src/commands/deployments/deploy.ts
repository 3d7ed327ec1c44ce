// Deploys a built directory to the project.
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { bold, cyan, print, printJson, warn } from '../../output.ts'
import { required } from '../../session.ts'
import { publish } from '../../site/publish.ts'

export const deploy: Run = async ({ args: [dir = '.'], options }) => {
  const params = { name: requireProject(options) }
  const to = { endpoint: 'POST /projects/:name/deployments', params } as const
  const { answer, contents } = await publish(dir, to, {
    command: 'svc deploy',
    options: options.project ? [`--project ${options.project}`] : [],
    extent: { nodeModules: options['node-modules'] ?? false },
    replaces: true,
    yes: options.yes ?? false,
  })
  for (const warning of answer.warnings ?? []) warn(warning)
  if (options.json) return printJson(answer)
  print(`${bold(required(answer, 'deployment_id'))} is live: ${contents}.`)
  if (answer.framework) print(`server: ${answer.framework}`)
  if (answer.url) print(cyan(answer.url))
}
