// Locks production, so that pushes do not go live, and unlocks it.
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { bold, print } from '../../output.ts'
import { connect } from '../../session.ts'

export const lock: Run = async ({ options }) => {
  const name = requireProject(options)
  await connect()('PUT /projects/:name/production-lock', { params: { name } })
  print(`Production of ${bold(name)} is locked: pushes are built, but do not go live.`)
}

export const unlock: Run = async ({ options }) => {
  const name = requireProject(options)
  await connect()('DELETE /projects/:name/production-lock', { params: { name } })
  print(`Production of ${bold(name)} is unlocked: the next push goes live.`)
}
