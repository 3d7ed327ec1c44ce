// Restarts the server app of the project.
import type { Run } from '../command.ts'
import { requireProject } from '../link.ts'
import { bold, print } from '../output.ts'
import { connect } from '../session.ts'

export const restart: Run = async ({ options }) => {
  const name = requireProject(options)
  const { restarting } = await connect()('POST /projects/:name/restart', { params: { name } })
  if (restarting) print(`${bold(name)} restarts: the new instance takes over when it is ready.`)
  else print(`${bold(name)} is asleep. The next request starts it.`)
}
