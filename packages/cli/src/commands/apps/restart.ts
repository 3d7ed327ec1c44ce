// Restarts the server app of the project.
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { bold, notice, print } from '../../output.ts'
import { awaitRestart } from '../../restart.ts'
import { connect } from '../../session.ts'

export const restart: Run = async ({ options }) => {
  const name = requireProject(options)
  const call = connect()
  const { restarting } = await call('POST /projects/:name/restart', { params: { name } })
  if (restarting === false) return print(`${bold(name)} is asleep. The next request starts it.`)
  print(`${bold(name)} restarts: the new instance takes over when it is ready.`)
  if ((await awaitRestart(call, name, "See 'svc logs'.")) === 'done') notice('It is up.')
}
