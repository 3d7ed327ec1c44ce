// Builds by hand: start one, read its log, cancel it.
import type { Build } from '@svc/contract'
import type { Sparse, SparseClient } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, firstLine, minute, notice, print, printJson } from '../../output.ts'
import { connect, required } from '../../session.ts'
import { followBuild, writeLog } from './follow.ts'

export const buildNow: Run = async ({ options }) => {
  const name = requireProject(options)
  const call = connect()
  const build = await call('POST /projects/:name/builds', {
    params: { name },
    body: { branch: options.branch, commit: options.commit?.toLowerCase() },
  })
  await showBuilding(call, name, build, options)
}

/** Builds the commit of a deployment once more: of the one named, or of the live one. */
export const redeploy: Run = async ({ args: [chosen], options }) => {
  const name = requireProject(options)
  const call = connect()
  const deployment =
    chosen ?? (await call('GET /projects/:name', { params: { name } })).active_deployment_id ?? undefined
  if (deployment === undefined) throw new Failure('Nothing is deployed yet. Deploy a directory: svc deploy')
  const { build_id } = await call('GET /projects/:name/deployments/:id', {
    params: { name, id: deployment },
  })
  if (!build_id)
    throw new Failure(
      `${clean(deployment)} was uploaded, not built from git. Deploy its directory again (svc deploy), or make it live as it is: svc rollback ${clean(deployment)}`,
    )
  const build = await call('POST /projects/:name/builds/:id/rebuild', { params: { name, id: build_id } })
  await showBuilding(call, name, build, options)
}

async function showBuilding(
  call: SparseClient,
  name: string,
  build: Sparse<Build>,
  { json }: { json?: boolean },
): Promise<void> {
  if (json) return printJson(build)
  const id = required(build, 'id')
  notice(`Building ${clean(build.branch ?? '')} at ${(build.commit_sha ?? '').slice(0, 10)}: ${id}`)
  await followBuild(call, name, id)
}

export const showLog: Run = async ({ args: [chosen], options }) => {
  const name = requireProject(options)
  const call = connect()
  const build = chosen
    ? await call('GET /projects/:name/builds/:id', { params: { name, id: chosen } })
    : (await call('GET /projects/:name/builds', { params: { name }, query: { limit: '1' } })).builds?.[0]
  if (!build)
    throw new Failure("There are no builds yet. Push to the connected repository, or run 'svc git build'.")
  const commit = `${(build.commit_sha ?? '').slice(0, 10)} ${firstLine(build.commit_message)}`
  const id = required(build, 'id')
  notice(`${id}  ${build.status ?? ''}  ${clean(build.branch ?? '')}  ${commit}  ${minute(build.created_at)}`)
  const { timestamps } = options
  if (options.follow) return await followBuild(call, name, id, { interrupted: 0, timestamps })
  await writeLog(name, id, { offset: 0, timestamps })
}

export const cancelBuild: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  await connect()('POST /projects/:name/builds/:id/cancel', { params: { name, id } })
  print(`Cancelled ${bold(id)}.`)
}
