// Evicts pages of a server app from the edge's cache.
import { limits } from '@svc/contract/limits'
import type { Run } from '../../command.ts'
import { Failure } from '../../failure.ts'
import { requireProject } from '../../link.ts'
import { bold, count, print, printJson } from '../../output.ts'
import { connect } from '../../session.ts'

export const revalidate: Run = async ({ args: paths, options }) => {
  const name = requireProject(options)
  if (paths.length > limits.revalidatePaths)
    throw new Failure(`At most ${limits.revalidatePaths} paths can be given at once.`)
  const answer = await connect()('POST /projects/:name/revalidate', { params: { name }, body: { paths } })
  if (options.json) return printJson(answer)
  const distinct = new Set(paths).size
  const pages = distinct === 1 ? 'one path is' : `${distinct} paths are`
  const dropped = answer.evicted === 1 ? 'one stored answer' : count(answer.evicted, 'stored answer')
  print(`${bold(name)}: ${pages} fetched again from now on${dropped && `; ${dropped} dropped`}.`)
}
