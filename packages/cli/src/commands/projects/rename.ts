// Renames a project. If svc.json links this directory to the project, the link follows.
import type { Run } from '../../command.ts'
import { linkedProject, prepareLink } from '../../link.ts'
import { bold, notice, print } from '../../output.ts'
import { connect } from '../../session.ts'

export const renameProject: Run = async ({ args: [name = '', to = ''] }) => {
  const link = linkedProject() === name ? prepareLink(to) : undefined
  try {
    const project = await connect()('POST /projects/:name/rename', { params: { name }, body: { name: to } })
    print(`Renamed ${bold(name)} to ${bold(to)}.`)
    if (project.url) print(project.url)
  } catch (error) {
    link?.drop()
    throw error
  }
  link?.keep()
  if (link) notice('svc.json has the new name. Commit it, so that others get it too.')
}
