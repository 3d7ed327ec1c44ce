// `svc git branches`: what each branch shows where, and how its last build went.
import type { Branch } from '@svc/contract'
import type { Sparse } from '@svc/contract/client'
import type { Run } from '../../command.ts'
import { printWithUrls } from '../../folded-table.ts'
import { requireProject } from '../../link.ts'
import { bold, clean, cyan, dim, green, print, printJson } from '../../output.ts'
import { connect, required } from '../../session.ts'

export const listBranches: Run = async ({ options }) => {
  const name = requireProject(options)
  const answer = await connect()('GET /projects/:name/branches', { params: { name } })
  if (options.json) return printJson(answer)
  const branches = required(answer, 'branches')
  if (branches.length === 0)
    return print("No branches yet. 'svc git connect <owner/repo>' connects a repository.")
  printWithUrls(branches.map(rowOf))
}

const rowOf = ({ branch, production, url, deployment_id, build, domains }: Sparse<Branch>): string[] => [
  production ? `${green('*')} ${bold(clean(branch ?? ''))}` : `  ${clean(branch ?? '')}`,
  build?.status ?? dim('not built'),
  deployment_id ?? dim('not deployed'),
  [url ?? '', ...(domains ?? [])]
    .filter(Boolean)
    .map(address => cyan(clean(address)))
    .join(' '),
]
