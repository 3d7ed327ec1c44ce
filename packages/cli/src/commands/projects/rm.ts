// Deletes a project, once its name has been typed.
import type { Run } from '../../command.ts'
import { linkedProject } from '../../link.ts'
import { bold, notice, print } from '../../output.ts'
import { confirmByName } from '../../prompt.ts'
import { connect } from '../../session.ts'

export const removeProject: Run = async ({ args: [name = ''], options }) => {
  const linked = linkedProject()
  const call = connect()
  if (!options.yes)
    await confirmByName('project', name, async () => {
      const { url } = await call('GET /projects/:name', { params: { name } })
      return `This deletes ${name} for good: its deployments, domains and settings. ${url ?? 'Its site'} stops working at once.`
    })
  await call('DELETE /projects/:name', { params: { name } })
  print(`Deleted ${bold(name)}.`)
  if (linked === name) notice('svc.json still links this directory to it.')
}
