// Lists the projects of the user or of an org.
import type { Run } from '../../command.ts'
import { bold, cyan, dim, print, printJson, printTable } from '../../output.ts'
import { allPages } from '../../pages.ts'
import { connect } from '../../session.ts'

export const listProjects: Run = async ({ options: { org, json } }) => {
  const call = connect()
  const answer = await allPages('projects', cursor =>
    call('GET /projects', { query: { org, cursor, limit: '100' } }),
  )
  if (json) return printJson(answer)
  if (answer.projects.length === 0)
    return print(org ? `No projects in ${org} yet.` : "No projects yet. 'svc init' creates one.")
  printTable(
    answer.projects.map(project => [
      bold(project.name),
      cyan(project.primary_url ?? project.url),
      project.org ? `[${project.org}]` : '',
      project.active_deployment_id ? '' : dim('not deployed yet'),
    ]),
  )
}
