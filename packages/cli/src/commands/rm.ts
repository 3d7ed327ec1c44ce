// Deletes a project, once its name has been typed.
import type { Run } from '../command.ts'
import { Failure } from '../failure.ts'
import { linkedProject } from '../link.ts'
import { bold, notice, print } from '../output.ts'
import { ask, canAsk } from '../prompt.ts'
import { connect } from '../session.ts'

export const removeProject: Run = async ({ args: [name = ''], options }) => {
  const linked = linkedProject()
  const call = connect()
  if (!options.yes) {
    if (!canAsk())
      throw new Failure(
        `Deleting a project asks for its name, and there is no terminal to ask at. Pass --yes.`,
      )
    const { url } = await call('GET /projects/:name', { params: { name } })
    notice(
      `This deletes ${name} for good: its deployments, domains and settings. ${url} stops working at once.`,
    )
    if ((await ask('Type the name of the project to delete it: ')) !== name)
      throw new Failure('That is not its name. Nothing was deleted.')
  }
  await call('DELETE /projects/:name', { params: { name } })
  print(`Deleted ${bold(name)}.`)
  if (linked === name) notice('svc.json still links this directory to it.')
}
