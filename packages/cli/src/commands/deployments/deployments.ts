// Changes the deployments of a project: delete one, go back to one, promote one.
import type { SparseClient } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, cyan, notice, print, printJson } from '../../output.ts'
import { connect } from '../../session.ts'
import { offerDisk, snapshotBefore } from './rollback-disk.ts'

export const removeDeployment: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  await connect()('DELETE /projects/:name/deployments/:id', { params: { name, id } })
  print(`Deleted ${id}.`)
}

export const rollback: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  const call = connect()
  const { active_deployment_id: previous, deployments } = await call('GET /projects/:name', {
    params: { name },
  })
  // Before the rollback, which makes a snapshot of its own.
  const left = deployments?.find(each => each.id === previous && previous !== id)
  const snapshot = left && (await snapshotBefore(call, name, left))
  await call('POST /projects/:name/deployments/:id/activate', { params: { name, id } })
  await printLive(call, name, id)
  sayUndo(previous, id)
  if (snapshot) await offerDisk(call, name, snapshot)
}

export const promote: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  const call = connect()
  const answer = await call('POST /projects/:name/deployments/:id/promote', { params: { name, id } })
  if (options.json) return printJson(answer)
  await printLive(call, name, id)
  sayUndo(answer.previous_deployment_id, id)
}

function sayUndo(previous: string | null | undefined, id: string): void {
  if (previous && previous !== id) notice(`To take this back: svc rollback ${clean(previous)}`)
}

async function printLive(call: SparseClient, name: string, id: string): Promise<void> {
  const { url, production_lock, repo } = await call('GET /projects/:name', { params: { name } })
  print(`${bold(id)} is live.`)
  if (url) print(cyan(url))
  if (production_lock)
    notice(
      `Pushes to ${clean(repo?.branch ?? 'the production branch')} are built, but do not go live now. To let them go live again: svc git unlock`,
    )
}
