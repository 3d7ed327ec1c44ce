// Shows or sets the version of Node of a project.
import type { ProjectNode } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { bold, clean, print, printJson } from '../../output.ts'
import { connect } from '../../session.ts'

export const projectNode: Run = async ({ args: [name = '', version], options }) => {
  const call = connect()
  const params = { name }
  const answer =
    version === undefined
      ? await call('GET /projects/:name/node', { params })
      : await call('PUT /projects/:name/node', {
          params,
          body: { node: version === 'auto' ? null : version },
        })
  if (options.json) return printJson(answer)
  print(describe(name, answer))
  if (version !== undefined) print('The next build or deploy uses it.')
}

function describe(name: string, { node, standard, available }: Sparse<ProjectNode>): string {
  const own = standard ? `Node ${clean(standard)}` : "the platform's own Node"
  const setting = node
    ? `asks for Node ${clean(node)}`
    : `uses the Node that its files ask for (svc.json, .nvmrc, .node-version, engines), or else ${own}`
  const versions = (available ?? []).map(clean).join(', ')
  return `${bold(name)} ${setting}.${versions === '' ? '' : ` There is Node ${versions}.`}`
}
