// Deploy hooks: secret URLs that build a branch.
import type { DeployHook } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, dim, minute, notice, print, printJson, printTable } from '../../output.ts'
import { connect, required } from '../../session.ts'

export const listHooks: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/hooks', { params: { name } })
  if (options.json) return printJson(answer)
  const hooks = required(answer, 'hooks')
  if (hooks.length === 0) return print("No deploy hooks yet. 'svc git hooks add <name>' creates one.")
  printTable(hooks.map(rowOf))
}

const rowOf = ({ id, name, branch, last_used_at }: Sparse<DeployHook>): string[] => [
  bold(id ?? ''),
  clean(name ?? ''),
  clean(branch ?? ''),
  dim(last_used_at ? `used ${minute(last_used_at)}` : 'never used'),
]

/** The URL alone goes to stdout, so that a script can catch it. */
export const addHook: Run = async ({ args, options }) => {
  const name = requireProject(options)
  const body = { name: args.join(' '), branch: options.branch }
  const hook = await connect()('POST /projects/:name/hooks', { params: { name }, body })
  if (options.json) return printJson(hook)
  const url = required(hook, 'url')
  notice(
    `Created ${clean(hook.id ?? '')}. A POST builds ${clean(hook.branch ?? 'its branch')}: curl -X POST <url>`,
  )
  print(url)
  notice("You won't see this URL again. Anyone who has it can start builds, so keep it secret.")
}

export const removeHook: Run = async ({ args: [id = ''], options }) => {
  const name = requireProject(options)
  await connect()('DELETE /projects/:name/hooks/:id', { params: { name, id } })
  print(`Revoked ${bold(id)}. Its URL builds nothing any more.`)
}
